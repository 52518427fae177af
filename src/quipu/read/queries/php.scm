(namespace_definition name: (_) @package)
(function_definition name: (name) @name parameters: (_) @parameters
  return_type: (_)? @returns) @function
(method_declaration name: (name) @name parameters: (_) @parameters
  return_type: (_)? @returns) @function
(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @class
(trait_declaration name: (name) @name) @class
(enum_declaration name: (name) @name) @class
(const_declaration (const_element (name) @name (_) @value) @variable)
(expression_statement (function_call_expression function: (name) @_define
  arguments: (arguments . (argument (string (string_content) @name)) . (argument (_) @value)))
  @variable (#eq? @_define "define"))
(property_declaration) @field
(enum_case) @field

(function_call_expression function: (_) @call)
(member_call_expression object: (variable_name) @_this name: (name) @own (#eq? @_this "$this"))
(member_call_expression object: (_) @_other name: (name) @member (#not-eq? @_other "$this"))
(scoped_call_expression scope: (relative_scope) name: (name) @own)
(scoped_call_expression scope: [(name) (qualified_name)] name: (name) @member)
(object_creation_expression (name) @call)
(base_clause [(name) (qualified_name)] @base)
(class_interface_clause [(name) (qualified_name)] @base)
(throw_expression (object_creation_expression [(name) (qualified_name)] @raise))
(assignment_expression left: [(member_access_expression name: (name) @set)
  (scoped_property_access_expression name: (_) @set)])
(return_statement [(function_call_expression function: (_) @delegate)
  (member_call_expression name: (name) @delegate) (scoped_call_expression name: (name) @delegate)])
(_ body: (compound_statement (expression_statement [
  (function_call_expression function: (_) @delegate)
  (member_call_expression name: (name) @delegate)
  (scoped_call_expression name: (name) @delegate)]) .))
(namespace_use_declaration) @import
[(require_expression) (require_once_expression) (include_expression)
 (include_once_expression)] @import

(function_call_expression function: (name) @_reads
  arguments: (arguments . (argument [(string) (encapsed_string)] @environment))
  (#any-of? @_reads "getenv" "env"))
(subscript_expression (variable_name) @_of [(string) (encapsed_string)] @environment
  (#any-of? @_of "$_ENV" "$_SERVER"))
(function_call_expression function: (name) @_reads
  arguments: (arguments . (argument [(string) (encapsed_string)] @setting))
  (#any-of? @_reads "config" "ini_get" "get_option"))
