; What TypeScript adds to JavaScript.
(abstract_class_declaration) @class
(interface_declaration) @interface
(enum_declaration) @class
(type_alias_declaration) @interface
(internal_module) @interface
(function_signature) @function
(method_signature) @function
(abstract_method_signature) @function
(public_field_definition name: (property_identifier) value: [(arrow_function) (function_expression)]) @function

(extends_clause value: [(identifier) (member_expression)] @base)
(implements_clause [(type_identifier) (nested_type_identifier)] @base)
(implements_clause (generic_type name: [(type_identifier) (nested_type_identifier)] @base))
(extends_type_clause [(type_identifier) (nested_type_identifier)] @base)
(extends_type_clause (generic_type name: [(type_identifier) (nested_type_identifier)] @base))

(required_parameter pattern: (identifier) @bind)
(optional_parameter pattern: (identifier) @bind)
(required_parameter pattern: (identifier) type: (type_annotation)) @typed
(variable_declarator name: (identifier) type: (type_annotation)) @typed
