(function_definition type: (_)? @returns declarator: (function_declarator
  declarator: (_) @name parameters: (_) @parameters)) @function
(function_definition type: (_)? @returns declarator: (pointer_declarator
  declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters))) @function
(function_definition type: (_)? @returns declarator: (reference_declarator
  (function_declarator declarator: (_) @name parameters: (_) @parameters))) @function
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @class
(union_specifier name: (_) @name body: (_)) @class
(enum_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @module
(type_definition declarator: (type_identifier) @name) @variable
(alias_declaration name: (type_identifier) @name) @variable
(preproc_def name: (identifier) @name) @variable
([(translation_unit (declaration (type_qualifier)
    declarator: (init_declarator declarator: (identifier) @name) @variable))
  (namespace_definition body: (declaration_list (declaration (type_qualifier)
    declarator: (init_declarator declarator: (identifier) @name) @variable)))])
(field_declaration) @field
(enumerator) @field

(call_expression function: [(identifier) (field_expression) (qualified_identifier)] @call)
(new_expression type: (type_identifier) @call)
(base_class_clause [(type_identifier) @base (qualified_identifier) @base
  (template_type name: (type_identifier) @base)])
(throw_statement (call_expression function: [(identifier) (qualified_identifier)] @raise))
(assignment_expression left: [(identifier) @set (field_expression field: (field_identifier) @set)])
(return_statement (call_expression
  function: [(identifier) (field_expression) (qualified_identifier)] @delegate))
(function_definition body: (compound_statement (expression_statement (call_expression
  function: [(identifier) (field_expression) (qualified_identifier)] @delegate)) .))
(preproc_include) @import

(function_definition (storage_class_specifier) @_static (#eq? @_static "static")) @private
((preproc_def name: (identifier) @_guard) @private (#match? @_guard "_(H|HPP|HH|H_)$"))
(declaration declarator: [(function_declarator declarator: (identifier) @exported)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @exported))
  (reference_declarator (function_declarator declarator: (identifier) @exported))])

(call_expression function: [(identifier) (qualified_identifier)] @_reads
  arguments: (argument_list . (string_literal) @environment)
  (#any-of? @_reads "getenv" "std::getenv" "secure_getenv" "qgetenv" "qEnvironmentVariable"))
(call_expression function: (identifier) @_reads
  arguments: (argument_list (string_literal) @setting)
  (#match? @_reads "^([a-z]+_)?(config|conf|cfg|settings?)_(get|lookup|read)"))
(call_expression function: (field_expression argument: (identifier) @_of
    field: (field_identifier) @_reads)
  arguments: (argument_list . (string_literal) @setting)
  (#match? @_of "^_?(config|conf|cfg|settings)_?$") (#any-of? @_reads "get" "value" "contains"))
