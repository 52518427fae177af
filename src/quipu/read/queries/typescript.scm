; inherits: ecma
(public_field_definition name: (_) @name value: [(arrow_function parameters: (_) @parameters)
  (arrow_function parameter: (_) @parameters) (function_expression parameters: (_) @parameters)]) @function
(extends_clause value: [(identifier) (member_expression)] @base)
(extends_type_clause type: [(type_identifier) @base (generic_type name: (type_identifier) @base)])
(implements_clause [(type_identifier) @base (generic_type name: (type_identifier) @base)])
(interface_declaration name: (_) @name) @class
(abstract_class_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(type_alias_declaration name: (_) @name) @variable
(internal_module name: (_) @name) @module
(public_field_definition) @field
(interface_declaration body: (_ (property_signature) @field))
(enum_declaration body: (enum_body [(enum_assignment) (property_identifier)] @field))
(export_statement declaration: [(interface_declaration) (abstract_class_declaration)
  (enum_declaration) (type_alias_declaration)] @public)
([(function_declaration return_type: (type_annotation (_) @returns))
  (method_definition return_type: (type_annotation (_) @returns))
  (arrow_function return_type: (type_annotation (_) @returns))])
