; What a Rust file defines, calls, imports and builds upon.
(function_item) @function
(function_signature_item) @function
(struct_item) @class
(enum_item) @class
(union_item) @class
(trait_item) @class
(type_item) @class
(mod_item body: (_)) @class
(impl_item) @impl
(macro_definition) @function
(const_item) @variable
(static_item) @variable

(call_expression function: [(identifier) (scoped_identifier) (field_expression)] @call)
(call_expression function: (generic_function function: [(identifier) (scoped_identifier) (field_expression)] @call))
(macro_invocation macro: [(identifier) (scoped_identifier)] @macro)
(struct_expression name: [(type_identifier) (scoped_type_identifier)] @call)

(use_declaration) @import
(mod_item !body) @import

(trait_item bounds: (trait_bounds [(type_identifier) (scoped_type_identifier)] @base))
(trait_item bounds: (trait_bounds (generic_type type: [(type_identifier) (scoped_type_identifier)] @base)))

; Names that a function has for itself, and those whose type can be read off.
(parameter pattern: (identifier) @bind)
(let_declaration pattern: (identifier) @bind)
(tuple_pattern (identifier) @bind)
(tuple_struct_pattern (identifier) @bind)
(closure_parameters (identifier) @bind)
(for_expression pattern: (identifier) @bind)
(captured_pattern (identifier) @bind)
(parameter pattern: (identifier) type: [(type_identifier) (reference_type) (generic_type) (scoped_type_identifier)]) @typed
(let_declaration pattern: (identifier) type: [(type_identifier) (generic_type)]) @typed
(let_declaration pattern: (identifier) !type value: (call_expression function: (scoped_identifier))) @typed
(let_declaration pattern: (identifier) !type value: (struct_expression)) @typed
