; What a Go file defines, calls, imports and embeds.
(function_declaration) @function
(method_declaration) @function
(type_spec) @class
(type_alias) @class
(source_file (const_declaration (const_spec name: (identifier) @variable)))
(source_file (var_declaration (var_spec name: (identifier) @variable)))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @variable))))
(interface_type (method_elem) @function)

(call_expression function: [(identifier) (selector_expression)] @call)
(composite_literal type: [(type_identifier) (qualified_type)] @call)

(import_spec) @import

(struct_type (field_declaration_list (field_declaration !name type: [(type_identifier) (qualified_type)] @base)))
(interface_type (type_elem [(type_identifier) (qualified_type)] @base))

; Names that a function has for itself, and those whose type can be read off.
(parameter_declaration name: (identifier) @bind)
(variadic_parameter_declaration name: (identifier) @bind)
(short_var_declaration left: (expression_list (identifier) @bind))
(range_clause left: (expression_list (identifier) @bind))
(var_spec name: (identifier) @bind)
(const_spec name: (identifier) @bind)
(parameter_declaration name: (identifier) type: [(pointer_type) (type_identifier) (qualified_type)]) @typed
(short_var_declaration left: (expression_list . (identifier) .) right: (expression_list . [(composite_literal) (unary_expression operand: (composite_literal))] .)) @typed
(var_spec name: (identifier) type: [(pointer_type) (type_identifier) (qualified_type)]) @typed
