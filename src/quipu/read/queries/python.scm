(function_definition name: (identifier) @name parameters: (parameters) @parameters
  return_type: (_)? @returns) @function
(class_definition name: (identifier) @name) @class
(function_definition body: (block . (expression_statement (string) @doc)))
(class_definition body: (block . (expression_statement (string) @doc)))
(module . (comment)* . (expression_statement (string) @doc))
(module (expression_statement (assignment left: (identifier) @name) @variable))
(class_definition body: (block (expression_statement
  (assignment left: (identifier) @name right: (_)) @variable))
  (#match? @name "^[A-Z][A-Z0-9_]+$"))
(class_definition body: (block (expression_statement (assignment left: (identifier)) @field)))

(call function: [(identifier) (attribute)] @call)
(decorator [(identifier) (attribute)] @call)
(class_definition superclasses: (argument_list [(identifier) (attribute)] @call))
(class_definition superclasses: (argument_list
  [(identifier) @base (attribute) @base (subscript value: [(identifier) (attribute)] @base)]))
(raise_statement [(identifier) @raise (attribute) @raise
  (call function: [(identifier) (attribute)] @raise)])
(assignment left: (attribute attribute: (identifier) @set))
(augmented_assignment left: (attribute attribute: (identifier) @set))
(return_statement [(call function: [(identifier) (attribute)] @delegate)
  (await (call function: [(identifier) (attribute)] @delegate))])
(function_definition body: (block
  (expression_statement (call function: [(identifier) (attribute)] @delegate)) .))
[(import_statement) (import_from_statement)] @import

((assignment left: (identifier) @_all right: [(list (string) @exported) (tuple (string) @exported)])
  (#eq? @_all "__all__"))
(import_from_statement name: (aliased_import name: (dotted_name) @_same alias: (identifier) @exported)
  (#eq? @_same @exported))

(call function: [(identifier) (attribute)] @_reads arguments: (argument_list . (string) @environment)
  (#any-of? @_reads "os.getenv" "getenv" "os.environ.get" "os.environ.pop"
    "os.environ.setdefault"))
(subscript value: (attribute) @_of subscript: (string) @environment (#eq? @_of "os.environ"))
(keyword_argument name: (identifier) @_envvar value: (string) @environment
  (#eq? @_envvar "envvar"))
(subscript value: [(identifier) @_of (attribute attribute: (identifier) @_of)]
  subscript: (string) @setting (#any-of? @_of "config" "settings" "conf" "cfg"))
(call function: (attribute object: [(identifier) @_of (attribute attribute: (identifier) @_of)]
    attribute: (identifier) @_reads)
  arguments: (argument_list . (string) @setting)
  (#any-of? @_of "config" "settings" "conf" "cfg") (#any-of? @_reads "get" "pop" "setdefault"))
(attribute object: (identifier) @_of attribute: (identifier) @setting
  (#eq? @_of "settings") (#match? @setting "^[A-Z][A-Z0-9_]+$"))
