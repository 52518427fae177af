(package_clause (package_identifier) @package)
(function_declaration name: (identifier) @name parameters: (_) @parameters
  result: (_)? @returns) @function
(method_declaration receiver: (parameter_list) @owner
  name: (field_identifier) @name parameters: (_) @parameters result: (_)? @returns) @function
(type_spec name: (type_identifier) @name) @class
(source_file (const_declaration (const_spec name: (identifier) @name) @variable))
(source_file (var_declaration (var_spec name: (identifier) @name) @variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @variable)))
(field_declaration) @field

(call_expression function: [(identifier) (selector_expression)] @call)
(field_declaration !name type: [(type_identifier) (qualified_type)] @base)
(type_elem . (type_identifier) @base .)
(return_statement (expression_list (identifier) @raise (#match? @raise "^[Ee]rr[A-Z]")))
(return_statement (expression_list (selector_expression field: (field_identifier) @_error) @raise
  (#match? @_error "^Err[A-Z]")))
(return_statement (expression_list (call_expression arguments: (argument_list (identifier) @raise)))
  (#match? @raise "^[Ee]rr[A-Z]"))
(call_expression function: (identifier) @raise (#eq? @raise "panic"))
(assignment_statement
  left: (expression_list (selector_expression field: (field_identifier) @set)))
(return_statement (expression_list . (call_expression
  function: [(identifier) (selector_expression)] @delegate)))
(_ body: (block (statement_list (expression_statement (call_expression
  function: [(identifier) (selector_expression)] @delegate)) .)))
(import_spec) @import

([(function_declaration name: (identifier) @_n) (type_spec name: (type_identifier) @_n)
  (const_spec name: (identifier) @_n) (var_spec name: (identifier) @_n)] @public
  (#match? @_n "^[A-Z]"))

(call_expression function: (selector_expression) @_reads
  arguments: (argument_list . (interpreted_string_literal) @environment)
  (#any-of? @_reads "os.Getenv" "os.LookupEnv"))
(call_expression function: (selector_expression operand: (identifier) @_of
    field: (field_identifier) @_reads)
  arguments: (argument_list . (interpreted_string_literal) @setting)
  (#any-of? @_of "viper" "config" "cfg" "conf" "settings")
  (#match? @_reads "^(Get[A-Za-z0-9]*|IsSet|SetDefault)$"))
