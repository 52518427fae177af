(create_table (object_reference) @name) @class
(create_view (object_reference) @name) @class
(create_materialized_view (object_reference) @name) @class
(create_function (object_reference) @name (function_arguments)? @parameters
  ((keyword_returns) . (_) @returns)?) @function
(column_definition) @field

(relation (object_reference) @call)
(invocation (object_reference) @call)
(assignment left: (field name: (identifier) @set))
(function_body (statement (select (select_expression (term
  value: (invocation (object_reference) @delegate))))))
(function_body (keyword_return) . (invocation (object_reference) @delegate))

(invocation (object_reference) @_reads . parameter: (term value: (literal) @setting)
  (#eq? @_reads "current_setting"))
