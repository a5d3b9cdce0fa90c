; What a JavaScript file defines, calls, imports and builds upon. TypeScript adds to it.
(function_declaration) @function
(generator_function_declaration) @function
(class_declaration) @class
(class name: (_)) @class
(method_definition) @function
(variable_declarator name: (identifier) value: [(arrow_function) (function_expression) (generator_function)]) @function
(program (lexical_declaration (variable_declarator name: (identifier)) @variable))
(program (variable_declaration (variable_declarator name: (identifier)) @variable))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier)) @variable)))
(program (export_statement (variable_declaration (variable_declarator name: (identifier)) @variable)))
(assignment_expression left: (member_expression) right: [(arrow_function) (function_expression)]) @function
(export_statement value: [(arrow_function) (function_expression !name)]) @function
(pair key: (property_identifier) value: [(arrow_function) (function_expression)]) @function

(call_expression function: [(identifier) (member_expression)] @call)
(new_expression constructor: [(identifier) (member_expression)] @call)

(import_statement) @import
(export_statement source: (string)) @import
(variable_declarator value: (call_expression function: (identifier) @_require arguments: (arguments (string))) (#eq? @_require "require")) @import
(expression_statement (call_expression function: (identifier) @_require arguments: (arguments (string))) (#eq? @_require "require")) @import
(call_expression function: (import)) @import
(export_statement !source) @export
((assignment_expression left: (member_expression) @_exports right: [(identifier) (function_expression) (class)]) @export (#eq? @_exports "module.exports"))

; Names that a function has for itself, and those whose type can be read off.
(arrow_function parameter: (identifier) @bind)
(rest_pattern (identifier) @bind)
(shorthand_property_identifier_pattern) @bind
(pair_pattern value: (identifier) @bind)
(array_pattern (identifier) @bind)
(variable_declarator name: (identifier) @bind)
(catch_clause parameter: (identifier) @bind)
(for_in_statement left: (identifier) @bind)
(variable_declarator name: (identifier) value: (new_expression)) @typed
