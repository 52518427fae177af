; inherits: ecma
(class_heritage [(identifier) (member_expression)] @base)
(field_definition property: (_) @name value: [(arrow_function parameters: (_) @parameters)
  (arrow_function parameter: (_) @parameters) (function_expression parameters: (_) @parameters)]) @function
(field_definition property: (_) value: (_)) @field
