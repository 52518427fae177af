"""How results are printed for people: a template for each shape that has one.

A line of a template is divided by two spaces into parts; a part with an empty value is left out,
and a line without any. `{name}` is a value of the result, `{name:how}` that value shown as `how`
says (`text.HOW`). A line `* name` is a row for each item of a list, by the template of its shape;
`* name | Title` puts a title above them and shows the first rows. `. name` is every key of an
object. A line that begins with `#` is a heading.
"""

from collections.abc import Mapping

__all__ = ["TEMPLATES"]

TEMPLATES: Mapping[str, str] = {
    "Added": """
{unchanged:Known already/Remembered} as {episode_id}.
Read: {facts:said}
This replaces: {replaces:said}
Erase it with: quipu forget {episode_id}
""",
    "Anchor": "“{name}”  {entity_id:label}  by {match}",
    "AskedSetting": "{file}: {key} = {value}",
    "Audit": "{text:page}",
    "Bridge": "“{key}” in {chunk_id:label}, shared by {reach:passage}",
    "Brief": """
{text:page}
Left out: {left_out:#} lines; give more --tokens.
""",
    "Check": """
{status:mark}  {name}: {detail}
    {remedy}
""",
    "Checkup": "* checks",
    "Chunk": "{start_line}-{end_line}  {title}  {chunk_id}",
    "ClientChange": """
{file}: {done}
The file as it was: {backup}
Restart {client} to use it.
""",
    "CountedAttempt": """
{success:worked/did not work}  {recorded_at:day}  {incident_id}  {outcome_id}  ({component})
""",
    "Decision": """
{merged_name} {same:is/is not} {kept_name}
    {by} on {decided_at:day}  (score {score:.2f}), {merge_id}
    {reason}
""",
    "EntityHistory": "* decisions",
    "EvidenceCheck": """
[{n}] {ok:ok/missing:mark}  {file_paths}
    {errors:lines}
""",
    "Examined": """
{ok:The contract holds/The contract does not hold}.
* errors
* evidence
* sentences
""",
    "Expansion": "{source_id:label} · {via} · {target_id:label}",
    "Explored": """
{text:verbatim}
About {token_count:#} tokens.  Left out: {left_out:#} places; give more --budget-tokens.
""",
    "Fact": """
{subject:label} {predicate} {object:label}  {valid_from:or …} to {valid_to:or …}  \
{confidence:.2f}  {fact_id}  replaces {supersedes_fact_id}
""",
    "FactList": "* facts",
    "Finding": """
{message}  ({count:time})
    {ids:few}
""",
    "FolderAsks": """
{folder}  of {owner}
  .quipu: {state}
* settings | It asks for
* jobs | Open jobs
{trusted:All of this is allowed now/Not all of this is allowed}.  To allow it: {command}
""",
    "Forgotten": "Erased {episodes:episode} and all that only they said.",
    "GoldenReport": """
* results
{passed:All golden questions passed/Not all golden questions passed}.
""",
    "GoldenResult": """
{passed:pass/FAIL:mark}  {question}
    {reasons:lines}
""",
    "HistoryReport": """
{repository}  {added:commit} added  {removed:#} removed  {unchanged:#} unchanged  in {seconds:.1f} s
Relations: {edges}
Embedded: {embedded:#} passages in {embed_seconds:.1f} s
Redacted: {redacted}
* errors | Left out
""",
    "Impact": "{text:verbatim}",
    "IndexReport": """
{added:#} added  {changed:#} changed  {removed:#} removed  {renamed:#} renamed  \
{unchanged:#} unchanged  in {seconds:.1f} s
Held from here: {documents:document}, {chunks:passage}.
Embedded: {embedded:#} passages in {embed_seconds:.1f} s
Without a vector yet: {unembedded:#} passages; words and graph find them.
Redacted: {redacted}
References without a target: {unresolved:#}
Left out: {left_out}; `!PATTERN` in .quipuignore takes one back.
* credentials | Left out, as they hold credentials ([index] credentials reads them, redacted)
* errors | Left out; all are in .quipu/index_errors.json
* warnings | Read with a reservation
""",
    "Initialised": """
A memory is ready in {folder}.
  made {created}
  kept {kept}
Next: quipu index .
""",
    "Job": """
{job_id}  {status}  {kind}  {accepted_at}  {added:passage} added  {unchanged:#} known already
  {stages:rows}
  refused: {refused}
* errors | Entries that could not be read
""",
    "JobList": "* jobs",
    "JobList.jobs": """
{job_id}  {status}  {kind}  {accepted_at}  {added:passage} added  {unchanged:#} known already
""",
    "KeyList": "* keys",
    "ApiKey": """
{key_id}  {scope}  {namespace}  {created_at:day}  revoked {revoked_at:day}  {note}
""",
    "KnownKey": "{subject} {attribute} = {value}  (since {since})  (until {until})  {fact_id}",
    "LikeCase": """
{score:.2f}  {component}  {timestamp:day}  {title}  {incident_id}
    tried: {tried}
""",
    "MadeKey": "{key}",
    "Merged": """
# {entity.name}  {entity.type}  {entity.entity_id}
  also called {entity.aliases}
  mentioned {entity.mention_count:time}
  of {members:rows}
* decisions
""",
    "MergedRecord": "{name}  {entity_id}",
    "Opened": """
# {kind}
. record
* chunks | Passages
* relations | Relations
* facts | Statements
* support | Asserted by
""",
    "Outcome": """
{actions_taken} {success:worked/did not work}  in {resolution_time_minutes:g} min
""",
    "Plan": """
Plan for “{question}”: {mode} mode, {use_graph:with the graph/without the graph}.
* anchors | Named in the question
* seeds | Passages it begins with
* reports | Reports
* expansions | Reached over a relation
* bridges | Names that may lead on
Bounds: {constraints}
Made at generation {sequence}.
Vectors: {space}
""",
    "Paused": """
{everywhere:Hooks do nothing: `quipu pause --off` ends it/Hooks work}.
They do nothing in {folders}
""",
    "PlannedReport": "{score:.2f}  {title}  {ref}",
    "PolicyMatch": "{policy}: {conditions}  ({state})",
    "ProblemRow": "{path}: {error}",
    "Proposal": """
{score:.2f}  {merged_name} → {kept_name}  {type}
    {reasons}
    quipu entity merge {merged_id:quoted} {kept_id:quoted}
""",
    "Proposals": """
* proposals
{proposals:proposal} among {considered:thing}  {left_out:#} more
""",
    "Recommendation": """
# For {component} ({basis}; advice only, nothing is run)
* actions
* alike | Like incidents
* policies | Policies
""",
    "RecommendedAction": """
{action}  ({policies})
    {samples:#} like cases, {successes} worked (worth {weight:.1f})  median {minutes:g} min  \
likely {success_rate:.0%}  (90 %: {low:.0%} to {high:.0%})
    {evidence:rows}
    against: {against}
""",
    "RecordedDecision": """
{decision.merged_name} {decision.same:is/is not} {decision.kept_name}
    {decision.by} on {decision.decided_at:day}  until {known_until:day}  ({decision.merge_id})
    {decision.reason}
""",
    "Reflected": """
{made:report} made  {kept:#} kept  {retired:#} retired
{communities} communities, {characters:,} characters in all
Beyond the budget: {left_out:#} communities; give more --budget.
* reports
""",
    "Relation": """
{source_entity_id:label} —{type}→ {target_entity_id:label}  {confidence:.2f}  {rel_id}
    {description}
""",
    "RelationList": "* relations",
    "Report": "{title}  {documents:source}  {ref}",
    "SalvagedRecords": """
Salvaged into {path}: {records:record}, {jobs} accepted writes; {damaged_pages} of {pages:page} \
are damaged.
Lost: {lost}
`quipu index` reads files again; add anew what else is lost. Then put the new file in the place of \
the old one and run `quipu index .`, which makes its vectors.
""",
    "Seed": "{chunk_id:label}  by {reasons}  {parts}",
    "SentenceCheck": "{found}: {text}",
    "SetupChange": """
# {client} {what}  {file}  {done}
    {why}
{text:verbatim}
""",
    "SetupReport": """
Found: {found:or no client}
* changes
{written:Restart the clients to use it/Nothing was written}.
""",
    "SimilarIncident": """
# {component}  {severity}  {timestamp}  {title}
    {incident_id}  score {score:.2f}  ({parts})  via {via}
    cause: {root_cause}
    tried: {outcomes:rows}
    source: {source_ref}
""",
    "SimilarIncidents": "* incidents",
    "StageCount": "{stage} {count:#}",
    "Stated": """
{done}: {fact:said}  {fact.fact_id}
    replaces: {replaced:rows}
    replaced by: {replaced_by:rows}
    contradicts: {contradicts:rows}
    other keys: {other_keys:rows}
    near keys: {near_keys:rows}
""",
    "StatedList": "* stated",
    "Status": """
Store: {store}  (namespace {namespace})
Generation: {generation:,}
Holds: {counts}
Index: {age_s:ago}  {stale:old, run `quipu index .`/}
Vectors: {spaces}
Without a vector: {unembedded:#} passages  {model:or no model}
Expired: {expired:#} sources
""",
    "Support": """
{chunk_ids:label}  {episode_id:label}  since {recorded_at}  until {known_until}
""",
    "TrustedFolder": "{folder}: settings {settings:yes/no}, .quipu {state:yes/no}",
    "TrustedFolders": "* folders",
    "Unmerged": "{undone.merged_name} is not {undone.kept_name} any more.",
    "Untrusted": "{folder} {was_trusted:is no longer trusted/was not trusted}.",
    "Validation": """
{valid:The graph is valid/The graph is not valid}.
Checked: {checked}
* errors | Errors
* warnings | Warnings
""",
    "WaitingJob": "{job_id}: {kind}: {what}",
}
