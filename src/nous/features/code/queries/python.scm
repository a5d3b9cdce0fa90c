; What a Python file defines, calls, imports and builds upon.
(function_definition) @function
(class_definition) @class
(module (expression_statement (assignment left: (identifier) @variable)))
(module (expression_statement (assignment left: (pattern_list (identifier) @variable))))
(module (expression_statement (assignment left: (tuple_pattern (identifier) @variable))))
(module (expression_statement (assignment right: (assignment left: (identifier) @variable))))
(module (expression_statement (assignment right: (assignment right: (assignment left: (identifier) @variable)))))
(class_definition body: (block (expression_statement (assignment left: (identifier) @variable))))
(type_alias_statement left: (type (identifier) @variable))

(call function: [(identifier) (attribute)] @call)
(decorator [(identifier) (attribute)] @call)

(import_statement) @import
(import_from_statement) @import

(class_definition superclasses: (argument_list [(identifier) (attribute)] @base))
(class_definition superclasses: (argument_list (subscript value: [(identifier) (attribute)] @base)))

; Names that a function has for itself, and those whose type can be read off.
(parameters [(identifier) @bind (list_splat_pattern (identifier) @bind) (dictionary_splat_pattern (identifier) @bind)])
(default_parameter name: (identifier) @bind)
(lambda_parameters (identifier) @bind)
(assignment left: (identifier) @bind)
(pattern_list (identifier) @bind)
(tuple_pattern (identifier) @bind)
(for_statement left: (identifier) @bind)
(for_in_clause left: (identifier) @bind)
(as_pattern_target (identifier) @bind)
(named_expression name: (identifier) @bind)
(typed_parameter) @typed
(typed_default_parameter) @typed
(assignment left: (identifier) right: (call function: [(identifier) (attribute)])) @typed
