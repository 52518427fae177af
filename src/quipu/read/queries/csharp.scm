(namespace_declaration name: (_) @name) @module
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)
(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(enum_declaration name: (identifier) @name) @class
(method_declaration returns: (_) @returns
  name: (identifier) @name parameters: (_) @parameters) @function
(constructor_declaration name: (identifier) @name parameters: (_) @parameters) @function
(property_declaration name: (identifier) @name) @variable
(field_declaration (modifier) @_const
  (variable_declaration (variable_declarator name: (identifier) @name . (_) @value) @variable)
  (#any-of? @_const "const" "static"))
(field_declaration) @field
(property_declaration) @field
(enum_member_declaration) @field

(invocation_expression function: [(identifier) (member_access_expression)] @call)
(object_creation_expression type: (identifier) @call)
(base_list [(identifier) @base (qualified_name) @base (generic_name (identifier) @base)])
(throw_statement (object_creation_expression type: (identifier) @raise))
(throw_expression (object_creation_expression type: (identifier) @raise))
(assignment_expression left: [(identifier) @set (member_access_expression name: (identifier) @set)])
(return_statement (invocation_expression
  function: [(identifier) (member_access_expression)] @delegate))
(arrow_expression_clause (invocation_expression
  function: [(identifier) (member_access_expression)] @delegate))
(_ body: (block (expression_statement (invocation_expression
  function: [(identifier) (member_access_expression)] @delegate)) .))
(using_directive) @import

([(class_declaration (modifier) @_public) (interface_declaration (modifier) @_public)
  (struct_declaration (modifier) @_public) (record_declaration (modifier) @_public)
  (enum_declaration (modifier) @_public)] @public (#eq? @_public "public"))

(invocation_expression function: (member_access_expression name: (identifier) @_reads)
  arguments: (argument_list . (argument (string_literal) @environment))
  (#eq? @_reads "GetEnvironmentVariable"))
(element_access_expression
  expression: [(identifier) @_of (member_access_expression name: (identifier) @_of)]
  subscript: (bracketed_argument_list (argument (string_literal) @setting))
  (#match? @_of "^_?([Cc]onfig|[Cc]onfiguration|[Ss]ettings|AppSettings)$"))
