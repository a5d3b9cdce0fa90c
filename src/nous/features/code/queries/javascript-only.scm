; Where JavaScript's grammar differs from TypeScript's.
(field_definition property: (property_identifier) value: [(arrow_function) (function_expression)]) @function
(class_heritage [(identifier) (member_expression)] @base)
(formal_parameters [(identifier) @bind (assignment_pattern left: (identifier) @bind)])
