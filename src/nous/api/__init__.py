"""What every door offers: HTTP, the Unix socket, MCP and whoever imports it. Plain functions of a `Nous` and a request.

A request is a frozen struct whose fields are documented once, for OpenAPI and for readers; an answer is plain data with
the documented JSON fields. Nothing here knows about a transport.
"""
