(method name: (_) @name parameters: (_)? @parameters) @function
(singleton_method name: (_) @name parameters: (_)? @parameters) @function
(class name: (_) @name) @class
(module name: (_) @name) @module
(assignment left: (constant) @name) @variable
(call method: (identifier) @_fields arguments: (argument_list (simple_symbol) @field)
  (#any-of? @_fields "attr_reader" "attr_writer" "attr_accessor"))

(call !receiver method: (identifier) @call)
(call receiver: (self) method: (identifier) @own)
(call receiver: [(identifier) (constant) (scope_resolution) (instance_variable) (call)
  (parenthesized_statements) (element_reference)] method: (identifier) @member)
(superclass [(constant) (scope_resolution)] @base)
(call method: (identifier) @_raise arguments: (argument_list . [
  (constant) @raise (scope_resolution) @raise
  (call receiver: [(constant) (scope_resolution)] @raise)])
  (#eq? @_raise "raise"))
(assignment left: [(instance_variable) @set (call method: (identifier) @set)])
(operator_assignment left: (instance_variable) @set)
(method body: (body_statement (call !receiver method: (identifier) @delegate) .))
(method body: (body_statement (call receiver: (_) method: (identifier) @delegate) .))
(method body: (body_statement (super) @delegate .))
(call method: (identifier) @_require arguments: (argument_list (string))
  (#any-of? @_require "require" "require_relative")) @import

(element_reference object: (constant) @_env (string) @environment (#eq? @_env "ENV"))
(call receiver: (constant) @_env arguments: (argument_list . (string) @environment)
  (#eq? @_env "ENV"))
(element_reference object: [(identifier) @_of (call method: (identifier) @_of)]
  [(string) (simple_symbol)] @setting (#any-of? @_of "config" "settings" "configuration"))
