(package_declaration (_) @package)
(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @class
(enum_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(annotation_type_declaration name: (identifier) @name) @class
(method_declaration type: (_) @returns name: (identifier) @name parameters: (_) @parameters) @function
(constructor_declaration name: (identifier) @name parameters: (_) @parameters) @function
(field_declaration (modifiers "static" "final")
  declarator: (variable_declarator name: (identifier) @name) @variable)
(constant_declaration declarator: (variable_declarator name: (identifier) @name) @variable)
(field_declaration) @field
(enum_constant) @field

(method_invocation !object name: (identifier) @call)
(method_invocation object: [(this) (super)] name: (identifier) @own)
(method_invocation object: [(identifier) (field_access) (method_invocation)
  (object_creation_expression) (parenthesized_expression) (string_literal) (array_access)]
  name: (identifier) @member)
(object_creation_expression type: (type_identifier) @call)
(superclass [(type_identifier) @base (generic_type (type_identifier) @base)])
(super_interfaces (type_list [(type_identifier) @base (generic_type (type_identifier) @base)]))
(extends_interfaces (type_list [(type_identifier) @base (generic_type (type_identifier) @base)]))
(throw_statement (object_creation_expression type: (type_identifier) @raise))
(throws (type_identifier) @raise)
(assignment_expression left: [(identifier) @set (field_access field: (identifier) @set)])
(return_statement (method_invocation name: (identifier) @delegate))
(_ body: (block (expression_statement (method_invocation name: (identifier) @delegate)) .))
(import_declaration) @import

[(class_declaration (modifiers "public")) (interface_declaration (modifiers "public"))
 (enum_declaration (modifiers "public")) (record_declaration (modifiers "public"))] @public

(method_invocation object: (identifier) @_of name: (identifier) @_reads
  arguments: (argument_list . (string_literal) @environment)
  (#eq? @_of "System") (#eq? @_reads "getenv"))
(method_invocation object: (method_invocation name: (identifier) @_reads)
  arguments: (argument_list . (string_literal) @environment) (#eq? @_reads "getenv"))
(method_invocation object: (identifier) @_of name: (identifier) @_reads
  arguments: (argument_list . (string_literal) @setting)
  (#match? @_of "^(System|Integer|Boolean|Long|config|settings|props|properties|environment|env)$")
  (#match? @_reads "^(get[A-Z]?[A-Za-z]*|getProperty|getInteger|getBoolean|getLong)$")
  (#not-eq? @_reads "getenv"))
(annotation name: (identifier) @_reads
  arguments: (annotation_argument_list (string_literal) @setting) (#eq? @_reads "Value"))
