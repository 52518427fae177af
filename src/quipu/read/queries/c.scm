(function_definition type: (_) @returns declarator: (function_declarator
  declarator: (identifier) @name parameters: (_) @parameters)) @function
(function_definition type: (_) @returns declarator: (pointer_declarator
  declarator: (function_declarator
    declarator: (identifier) @name parameters: (_) @parameters))) @function
(struct_specifier name: (type_identifier) @name body: (_)) @class
(union_specifier name: (type_identifier) @name body: (_)) @class
(enum_specifier name: (type_identifier) @name body: (_)) @class
(type_definition declarator: (type_identifier) @name) @variable
(preproc_def name: (identifier) @name) @variable
(preproc_function_def name: (identifier) @name parameters: (_) @parameters) @variable
(translation_unit (declaration (type_qualifier)
  declarator: (init_declarator declarator: (identifier) @name) @variable))
(field_declaration) @field
(enumerator) @field

(call_expression function: [(identifier) (field_expression)] @call)
(assignment_expression left: (identifier) @_errno right: (identifier) @raise
  (#eq? @_errno "errno"))
(return_statement (unary_expression argument: (identifier) @raise) (#match? @raise "^E[A-Z0-9]+$"))
(call_expression function: (identifier) @raise (#any-of? @raise "abort" "exit" "_exit"))
(assignment_expression left: [(identifier) @set (field_expression field: (field_identifier) @set)])
(return_statement (call_expression function: [(identifier) (field_expression)] @delegate))
(function_definition body: (compound_statement (expression_statement
  (call_expression function: [(identifier) (field_expression)] @delegate)) .))
(preproc_include) @import

(function_definition (storage_class_specifier) @_static (#eq? @_static "static")) @private
((preproc_def name: (identifier) @_guard) @private (#match? @_guard "_(H|HPP|HH|H_)$"))
(declaration declarator: [(function_declarator declarator: (identifier) @exported)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @exported))])

(call_expression function: (identifier) @_reads
  arguments: (argument_list . (string_literal) @environment)
  (#any-of? @_reads "getenv" "secure_getenv"))
(call_expression function: (identifier) @_reads
  arguments: (argument_list (string_literal) @setting)
  (#match? @_reads "^([a-z]+_)?(config|conf|cfg|settings?)_(get|lookup|read)"))
