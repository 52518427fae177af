(function_item name: (identifier) @name parameters: (_) @parameters
  return_type: (_)? @returns) @function
(function_signature_item name: (identifier) @name parameters: (_) @parameters
  return_type: (_)? @returns) @function
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
(field_declaration) @field
(enum_variant) @field

(call_expression function: [(identifier) (field_expression) (scoped_identifier)] @call)
(macro_invocation macro: (identifier) @call)
(impl_item trait: [(type_identifier) (scoped_type_identifier)] @base
  type: [(type_identifier) @of (generic_type type: (type_identifier) @of)])
(impl_item trait: (generic_type type: (type_identifier) @base)
  type: [(type_identifier) @of (generic_type type: (type_identifier) @of)])
(call_expression function: (identifier) @_err arguments: (arguments [
  (scoped_identifier) @raise (identifier) @raise
  (call_expression function: [(scoped_identifier) (identifier)] @raise)
  (struct_expression name: (_) @raise)]) (#eq? @_err "Err"))
(macro_invocation macro: (identifier) @raise
  (#any-of? @raise "panic" "bail" "todo" "unimplemented" "unreachable"))
(assignment_expression left: (field_expression field: (field_identifier) @set))
(compound_assignment_expr left: (field_expression field: (field_identifier) @set))
(return_expression (call_expression
  function: [(identifier) (field_expression) (scoped_identifier)] @delegate)
  (#not-any-of? @delegate "Ok" "Err" "Some"))
(function_item body: (block (call_expression
  function: [(identifier) (field_expression) (scoped_identifier)] @delegate) .)
  (#not-any-of? @delegate "Ok" "Err" "Some"))
(function_item body: (block (expression_statement (call_expression
  function: [(identifier) (field_expression) (scoped_identifier)] @delegate)) .))
(use_declaration) @import

[(function_item (visibility_modifier)) (struct_item (visibility_modifier))
 (enum_item (visibility_modifier)) (union_item (visibility_modifier))
 (trait_item (visibility_modifier)) (type_item (visibility_modifier))
 (const_item (visibility_modifier)) (static_item (visibility_modifier))] @public
(use_declaration (visibility_modifier) argument: [(scoped_identifier name: (identifier) @exported)
  (scoped_use_list list: (use_list [(identifier) @exported
    (scoped_identifier name: (identifier) @exported) (use_as_clause alias: (identifier) @exported)]))
  (use_as_clause alias: (identifier) @exported)])

(call_expression function: (scoped_identifier) @_reads
  arguments: (arguments . (string_literal) @environment)
  (#match? @_reads "(^|::)env::(var|var_os)$"))
(macro_invocation macro: (identifier) @_reads (token_tree . (string_literal) @environment)
  (#any-of? @_reads "env" "option_env"))
(call_expression function: (field_expression
    value: [(identifier) @_of (field_expression field: (field_identifier) @_of)]
    field: (field_identifier) @_reads)
  arguments: (arguments . (string_literal) @setting)
  (#any-of? @_of "config" "settings" "conf" "cfg") (#match? @_reads "^get"))
