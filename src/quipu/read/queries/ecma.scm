(function_declaration name: (identifier) @name parameters: (_) @parameters) @function
(generator_function_declaration name: (identifier) @name parameters: (_) @parameters) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name parameters: (_) @parameters) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(variable_declarator name: (identifier) @name value: [(arrow_function parameters: (_) @parameters)
  (arrow_function parameter: (_) @parameters) (function_expression parameters: (_) @parameters)]) @function
(program (_ (variable_declarator name: (identifier) @name value: (_)? @_value) @variable
  (#not-match? @_value "^require\\(")))
(program (export_statement (lexical_declaration
  (variable_declarator name: (identifier) @name) @variable)))
(function_expression name: (identifier) @name parameters: (_) @parameters) @function
(assignment_expression left: (member_expression) @_exports right: (class name: (_) @name)
  (#eq? @_exports "module.exports")) @class
(assignment_expression left: (member_expression object: (_) @_of property: (property_identifier) @name
  (#any-of? @_of "exports" "module.exports" "window" "globalThis" "global" "self")) right: [(arrow_function parameters: (_) @parameters)
  (arrow_function parameter: (_) @parameters) (function_expression parameters: (_) @parameters)]) @function
(assignment_expression left: (member_expression object: (_) @_of property: (property_identifier) @name
  (#any-of? @_of "exports" "module.exports" "window" "globalThis" "global" "self")) right: (class)) @class
(program (expression_statement (assignment_expression left: (member_expression object: (_) @_of property: (property_identifier) @name
  (#any-of? @_of "exports" "module.exports" "window" "globalThis" "global" "self"))) @variable))
(assignment_expression left: (member_expression object: (_) @owner property: (property_identifier) @name
  (#match? @owner "^[A-Za-z_$][A-Za-z0-9_$.]*$") (#not-match? @owner
    "[.]prototype$|^(module[.]exports|exports|module|this|window|globalThis|global|self)$")) right: [(arrow_function parameters: (_) @parameters)
  (arrow_function parameter: (_) @parameters) (function_expression parameters: (_) @parameters)]) @function
(assignment_expression left: (member_expression object: (_) @owner property: (property_identifier) @name
  (#match? @owner "^[A-Za-z_$][A-Za-z0-9_$.]*$") (#not-match? @owner
    "[.]prototype$|^(module[.]exports|exports|module|this|window|globalThis|global|self)$")) right: (class)) @class
(assignment_expression left: (member_expression object: (member_expression object: (_) @owner
  property: (property_identifier) @_prototype) property: (property_identifier) @name
  (#eq? @_prototype "prototype")) right: [(arrow_function parameters: (_) @parameters)
  (arrow_function parameter: (_) @parameters) (function_expression parameters: (_) @parameters)]) @function
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
(return_statement (call_expression function: [(identifier) (member_expression)] @delegate))
(arrow_function body: (call_expression function: [(identifier) (member_expression)] @delegate))
(_ body: (statement_block
  (expression_statement (call_expression function: [(identifier) (member_expression)] @delegate)) .))
(assignment_expression left: (member_expression property: (property_identifier) @set))

(export_statement declaration: [(function_declaration) (generator_function_declaration)
  (class_declaration)] @public)
(export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @exported)))
(export_specifier !alias name: (_) @exported)
(export_specifier alias: (_) @exported)
(export_statement value: (identifier) @exported)
(assignment_expression left: (member_expression object: (_) @_of property: (property_identifier) @exported)
  (#any-of? @_of "exports" "module.exports"))
(assignment_expression left: (member_expression) @_exports right: [(identifier) @exported
  (object [(shorthand_property_identifier) @exported (pair key: (property_identifier) @exported)])]
  (#any-of? @_exports "module.exports" "exports"))

(member_expression object: (member_expression property: (property_identifier) @_env)
  property: (property_identifier) @environment (#eq? @_env "env"))
(subscript_expression object: (member_expression property: (property_identifier) @_env)
  index: (string) @environment (#eq? @_env "env"))
(subscript_expression
  object: [(identifier) @_of (member_expression property: (property_identifier) @_of)]
  index: (string) @setting (#any-of? @_of "config" "settings" "conf" "cfg"))
(call_expression
  function: (member_expression
    object: [(identifier) @_of (member_expression property: (property_identifier) @_of)]
    property: (property_identifier) @_reads)
  arguments: (arguments . (string) @setting)
  (#any-of? @_of "config" "settings" "conf" "cfg") (#any-of? @_reads "get" "has"))
