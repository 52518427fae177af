"""What the code reader needs to know of each language: one tree-sitter query and a few words.

Captures: `function`, `class`, `module` and `variable` are definitions (a `module` only gives its
name to what is inside), with `name`, `parameters` and `owner` (the type or object that a method
belongs to when it is written outside of it); `doc` is a docstring; `call` a called name; `base` a
type that the class around it extends or implements (or the type `of`, where that is written
outside of it); `raise` an exception that is raised; `import` a statement that `imports.py` reads.
Grammars are one wheel a language and are loaded on first use.
"""

import importlib
from dataclasses import dataclass
from functools import cache

from tree_sitter import Language, Parser, Query

from quipu.read.kinds import Format, formats

_PYTHON = """
(function_definition name: (identifier) @name parameters: (parameters) @parameters) @function
(class_definition name: (identifier) @name) @class
(function_definition body: (block . (expression_statement (string) @doc)))
(class_definition body: (block . (expression_statement (string) @doc)))
(module . (comment)* . (expression_statement (string) @doc))
(module (expression_statement (assignment left: (identifier) @name) @variable))
(call function: [(identifier) (attribute)] @call)
(decorator [(identifier) (attribute)] @call)
(class_definition superclasses: (argument_list [(identifier) (attribute)] @call))
(class_definition superclasses: (argument_list
  [(identifier) @base (attribute) @base (subscript value: [(identifier) (attribute)] @base)]))
(raise_statement [(identifier) @raise (attribute) @raise
  (call function: [(identifier) (attribute)] @raise)])
[(import_statement) (import_from_statement)] @import
"""
_JS_FUNCTION = """[(arrow_function parameters: (_) @parameters)
  (arrow_function parameter: (_) @parameters) (function_expression parameters: (_) @parameters)]"""
_JS_EXPORT = """(member_expression object: (_) @_of property: (property_identifier) @name
  (#any-of? @_of "exports" "module.exports" "window" "globalThis" "global" "self"))"""
_JS_MEMBER = """(member_expression object: (_) @owner property: (property_identifier) @name
  (#match? @owner "^[A-Za-z_$][A-Za-z0-9_$.]*$") (#not-match? @owner
    "[.]prototype$|^(module[.]exports|exports|module|this|window|globalThis|global|self)$"))"""
_JS_PROTOTYPE = """(member_expression object: (member_expression object: (_) @owner
  property: (property_identifier) @_prototype) property: (property_identifier) @name
  (#eq? @_prototype "prototype"))"""
_JAVASCRIPT = f"""
(function_declaration name: (identifier) @name parameters: (_) @parameters) @function
(generator_function_declaration name: (identifier) @name parameters: (_) @parameters) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name parameters: (_) @parameters) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(variable_declarator name: (identifier) @name value: {_JS_FUNCTION}) @function
(program (_ (variable_declarator name: (identifier) @name value: (_)? @_value) @variable
  (#not-match? @_value "^require\\\\(")))
(program (export_statement (lexical_declaration
  (variable_declarator name: (identifier) @name) @variable)))
(function_expression name: (identifier) @name parameters: (_) @parameters) @function
(assignment_expression left: (member_expression) @_exports right: (class name: (_) @name)
  (#eq? @_exports "module.exports")) @class
(assignment_expression left: {_JS_EXPORT} right: {_JS_FUNCTION}) @function
(assignment_expression left: {_JS_EXPORT} right: (class)) @class
(program (expression_statement (assignment_expression left: {_JS_EXPORT}) @variable))
(assignment_expression left: {_JS_MEMBER} right: {_JS_FUNCTION}) @function
(assignment_expression left: {_JS_MEMBER} right: (class)) @class
(assignment_expression left: {_JS_PROTOTYPE} right: {_JS_FUNCTION}) @function
(call_expression function: [(identifier) (member_expression)] @call)
(new_expression constructor: [(identifier) (member_expression)] @call)
(throw_statement (new_expression constructor: [(identifier) (member_expression)] @raise))
[(import_statement) (export_statement source: (string))] @import
(call_expression function: (identifier) @_require arguments: (arguments . (string) .)
  (#eq? @_require "require")) @import
(variable_declarator value: [
  (call_expression function: (identifier) @_require arguments: (arguments . (string) .))
  (member_expression object:
    (call_expression function: (identifier) @_require arguments: (arguments . (string) .)))]
  (#eq? @_require "require")) @import
"""
_OF_JAVASCRIPT = f"""
(class_heritage [(identifier) (member_expression)] @base)
(field_definition property: (_) @name value: {_JS_FUNCTION}) @function
"""
_TYPESCRIPT = (
    _JAVASCRIPT
    + f"""
(public_field_definition name: (_) @name value: {_JS_FUNCTION}) @function
(extends_clause value: [(identifier) (member_expression)] @base)
(extends_type_clause type: [(type_identifier) @base (generic_type name: (type_identifier) @base)])
(implements_clause [(type_identifier) @base (generic_type name: (type_identifier) @base)])
(interface_declaration name: (_) @name) @class
(abstract_class_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(type_alias_declaration name: (_) @name) @variable
(internal_module name: (_) @name) @module
"""
)
_GO = """
(package_clause (package_identifier) @package)
(function_declaration name: (identifier) @name parameters: (_) @parameters) @function
(method_declaration receiver: (parameter_list) @owner
  name: (field_identifier) @name parameters: (_) @parameters) @function
(type_spec name: (type_identifier) @name) @class
(source_file (const_declaration (const_spec name: (identifier) @name) @variable))
(source_file (var_declaration (var_spec name: (identifier) @name) @variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @variable)))
(call_expression function: [(identifier) (selector_expression)] @call)
(field_declaration !name type: [(type_identifier) (qualified_type)] @base)
(type_elem . (type_identifier) @base .)
(import_spec) @import
"""
_JAVA = """
(package_declaration (_) @package)
(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @class
(enum_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(annotation_type_declaration name: (identifier) @name) @class
(method_declaration name: (identifier) @name parameters: (_) @parameters) @function
(constructor_declaration name: (identifier) @name parameters: (_) @parameters) @function
(method_invocation name: (identifier) @call)
(object_creation_expression type: (type_identifier) @call)
(superclass [(type_identifier) @base (generic_type (type_identifier) @base)])
(super_interfaces (type_list [(type_identifier) @base (generic_type (type_identifier) @base)]))
(extends_interfaces (type_list [(type_identifier) @base (generic_type (type_identifier) @base)]))
(throw_statement (object_creation_expression type: (type_identifier) @raise))
(throws (type_identifier) @raise)
(import_declaration) @import
"""
_RUST = """
(function_item name: (identifier) @name parameters: (_) @parameters) @function
(function_signature_item name: (identifier) @name parameters: (_) @parameters) @function
(struct_item name: (type_identifier) @name) @class
(enum_item name: (type_identifier) @name) @class
(union_item name: (type_identifier) @name) @class
(trait_item name: (type_identifier) @name) @class
(type_item name: (type_identifier) @name) @variable
(const_item name: (identifier) @name) @variable
(static_item name: (identifier) @name) @variable
(macro_definition name: (identifier) @name) @function
(impl_item type: (_) @name) @module
(mod_item name: (identifier) @name body: (_)) @module
(call_expression function: [(identifier) (field_expression) (scoped_identifier)] @call)
(macro_invocation macro: (identifier) @call)
(impl_item trait: [(type_identifier) (scoped_type_identifier)] @base
  type: [(type_identifier) @of (generic_type type: (type_identifier) @of)])
(impl_item trait: (generic_type type: (type_identifier) @base)
  type: [(type_identifier) @of (generic_type type: (type_identifier) @of)])
(use_declaration) @import
"""
_C = """
(function_definition declarator: (function_declarator
  declarator: (identifier) @name parameters: (_) @parameters)) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator
  declarator: (identifier) @name parameters: (_) @parameters))) @function
(struct_specifier name: (type_identifier) @name body: (_)) @class
(union_specifier name: (type_identifier) @name body: (_)) @class
(enum_specifier name: (type_identifier) @name body: (_)) @class
(type_definition declarator: (type_identifier) @name) @variable
(preproc_def name: (identifier) @name) @variable
(preproc_function_def name: (identifier) @name parameters: (_) @parameters) @variable
(call_expression function: [(identifier) (field_expression)] @call)
(preproc_include) @import
"""
_CPP = """
(function_definition declarator: (function_declarator
  declarator: (_) @name parameters: (_) @parameters)) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator
  declarator: (_) @name parameters: (_) @parameters))) @function
(function_definition declarator: (reference_declarator (function_declarator
  declarator: (_) @name parameters: (_) @parameters))) @function
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @class
(union_specifier name: (_) @name body: (_)) @class
(enum_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @module
(type_definition declarator: (type_identifier) @name) @variable
(alias_declaration name: (type_identifier) @name) @variable
(preproc_def name: (identifier) @name) @variable
(call_expression function: [(identifier) (field_expression) (qualified_identifier)] @call)
(new_expression type: (type_identifier) @call)
(base_class_clause [(type_identifier) @base (qualified_identifier) @base
  (template_type name: (type_identifier) @base)])
(throw_statement (call_expression function: [(identifier) (qualified_identifier)] @raise))
(preproc_include) @import
"""
_CSHARP = """
(namespace_declaration name: (_) @name) @module
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)
(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(enum_declaration name: (identifier) @name) @class
(method_declaration name: (identifier) @name parameters: (_) @parameters) @function
(constructor_declaration name: (identifier) @name parameters: (_) @parameters) @function
(property_declaration name: (identifier) @name) @variable
(invocation_expression function: [(identifier) (member_access_expression)] @call)
(object_creation_expression type: (identifier) @call)
(base_list [(identifier) @base (qualified_name) @base (generic_name (identifier) @base)])
(throw_statement (object_creation_expression type: (identifier) @raise))
(throw_expression (object_creation_expression type: (identifier) @raise))
(using_directive) @import
"""
_RUBY = """
(method name: (_) @name parameters: (_)? @parameters) @function
(singleton_method name: (_) @name parameters: (_)? @parameters) @function
(class name: (_) @name) @class
(module name: (_) @name) @module
(program (assignment left: (constant) @name) @variable)
(call method: (identifier) @call)
(superclass [(constant) (scope_resolution)] @base)
(call method: (identifier) @_raise arguments: (argument_list . [
  (constant) @raise (scope_resolution) @raise
  (call receiver: [(constant) (scope_resolution)] @raise)])
  (#eq? @_raise "raise"))
(call method: (identifier) @_require arguments: (argument_list (string))
  (#any-of? @_require "require" "require_relative")) @import
"""
_PHP = """
(namespace_definition name: (_) @package)
(function_definition name: (name) @name parameters: (_) @parameters) @function
(method_declaration name: (name) @name parameters: (_) @parameters) @function
(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @class
(trait_declaration name: (name) @name) @class
(enum_declaration name: (name) @name) @class
(function_call_expression function: (_) @call)
(member_call_expression name: (name) @call)
(scoped_call_expression name: (name) @call)
(object_creation_expression (name) @call)
(base_clause [(name) (qualified_name)] @base)
(class_interface_clause [(name) (qualified_name)] @base)
(throw_expression (object_creation_expression [(name) (qualified_name)] @raise))
(namespace_use_declaration) @import
[(require_expression) (require_once_expression) (include_expression)
 (include_once_expression)] @import
"""
_BASH = """
(function_definition name: (word) @name) @function
(program (variable_assignment name: (variable_name) @name) @variable)
(command name: (command_name) @call)
(command name: (command_name) @_source argument: (word) (#any-of? @_source "source" ".")) @import
"""
_SQL = """
(create_table (object_reference) @name) @class
(create_view (object_reference) @name) @class
(create_materialized_view (object_reference) @name) @class
(create_function (object_reference) @name (function_arguments)? @parameters) @function
(create_index) @index
(relation (object_reference) @call)
"""


@dataclass(frozen=True, slots=True)
class LanguageSpec:
    """How one language is read. `comments` begin a comment line above a definition; `wrappers`
    are nodes that hold a definition and its decorations. The parser of a language that is `ascii`
    is shown no other characters: it looks them up beyond the end of a table."""

    module: str
    query: str
    function: str = "language"
    comments: tuple[str, ...] = ("//", "/*", "*", "*/")
    decorations: tuple[str, ...] = ("@",)
    docstrings: bool = False
    kinds: tuple[str, str] = ("function", "class")
    ascii: bool = False


_SPECS = {
    "python": LanguageSpec(
        "tree_sitter_python", _PYTHON, comments=("#",), decorations=("@",), docstrings=True
    ),
    "javascript": LanguageSpec("tree_sitter_javascript", _JAVASCRIPT + _OF_JAVASCRIPT),
    "typescript": LanguageSpec("tree_sitter_typescript", _TYPESCRIPT, "language_typescript"),
    "tsx": LanguageSpec("tree_sitter_typescript", _TYPESCRIPT, "language_tsx"),
    "go": LanguageSpec("tree_sitter_go", _GO),
    "java": LanguageSpec("tree_sitter_java", _JAVA),
    "rust": LanguageSpec("tree_sitter_rust", _RUST, decorations=("#[",)),
    "c": LanguageSpec("tree_sitter_c", _C),
    "cpp": LanguageSpec("tree_sitter_cpp", _CPP, decorations=("template",)),
    "csharp": LanguageSpec("tree_sitter_c_sharp", _CSHARP, decorations=("[",)),
    "ruby": LanguageSpec("tree_sitter_ruby", _RUBY, comments=("#",), decorations=()),
    "php": LanguageSpec("tree_sitter_php", _PHP, "language_php", decorations=("#[",)),
    "bash": LanguageSpec(
        "tree_sitter_bash", _BASH, comments=("#",), decorations=(), ascii=True
    ),
    "sql": LanguageSpec(
        "tree_sitter_sql", _SQL, comments=("--", "/*", "*"), decorations=(),
        kinds=("function", "table"),
    ),
}  # fmt: skip
LANGUAGES = frozenset(_SPECS)


@dataclass(frozen=True)
class CodeLanguage(Format):
    """A language of code that a kind of source brings, and how the names of its files end."""

    name: str
    endings: tuple[str, ...]
    spec: LanguageSpec

    def claims(self, path: str, data: bytes) -> bool:  # noqa: ARG002
        """Whether the name ends as those of this language do."""
        return path.lower().endswith(self.endings)


@dataclass(frozen=True, slots=True)
class Grammar:
    """A language's parser and its compiled query."""

    spec: LanguageSpec
    parser: Parser
    query: Query


@cache
def grammar(language: str) -> Grammar:
    """The grammar of one of `LANGUAGES`, or of a language that a kind of source brings."""
    brought = {each.name: each.spec for each in formats() if isinstance(each, CodeLanguage)}
    spec = {**brought, **_SPECS}[language]
    pointer = getattr(importlib.import_module(spec.module), spec.function)()
    loaded = Language(pointer)  # pyright: ignore[reportDeprecated]  # older wheels give an int
    return Grammar(spec, Parser(loaded), Query(loaded, spec.query))
