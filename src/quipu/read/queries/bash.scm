(function_definition name: (word) @name) @function
(program (variable_assignment name: (variable_name) @name) @variable)
(program (declaration_command (variable_assignment name: (variable_name) @name) @variable))
(function_definition body: (compound_statement (declaration_command "local"
  (variable_assignment value: [
    (string [(simple_expansion (variable_name) @_at) (expansion (variable_name) @_at)])
    (simple_expansion (variable_name) @_at) (expansion (variable_name) @_at)]) @parameter))
  (#match? @_at "^[1-9]$"))

(command name: (command_name) @call)
(command name: (command_name) @_ends argument: (number) (#any-of? @_ends "exit" "return")) @raise
(variable_assignment name: (variable_name) @set)
(function_definition body: (compound_statement (command name: (command_name) @delegate) .))
(command name: (command_name) @_source argument: (word) (#any-of? @_source "source" ".")) @import

(program (variable_assignment) @private)
(program (declaration_command (variable_assignment) @private))
((function_definition name: (word) @_n) @private (#match? @_n "^_"))
(declaration_command "export" [(variable_name) @exported
  (variable_assignment name: (variable_name) @exported)])

([(simple_expansion (variable_name) @environment) (expansion (variable_name) @environment)]
  (#match? @environment "^[A-Z][A-Z0-9_]+$"))
