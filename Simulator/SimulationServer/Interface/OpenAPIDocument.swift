/// The OpenAPI 3.1 document, made of the table of routes.
enum OpenAPIDocument {
    /// The named shapes.
    static let schemas: [String: Schema] = [
        "Advance": .object([
            Field("seconds", .integer(0...31_622_400), optional: true),
            Field("milliseconds", .integer(0...86_400_000), optional: true),
        ]),
        "Battery": .object([Field("percent", .integer(0...100))]),
        "Card": CardView.schema,
        "CardChoice": .object([
            Field("card", .text, "The name of one of the session's cards; the payment's without.", optional: true)
        ]),
        "CardPlan": PlanBody.cardSchema,
        "Catalogue": CatalogueView.schema,
        "Choice": .object([
            Field("application", .nullable(.integer(0...255)), "Its number, from 0; null to cancel.", optional: true)
        ]),
        "Clock": ClockView.schema,
        "Conduct": PaymentBody.conductSchema,
        "Disk": DiskView.schema,
        "DiskChange": ConditionBodies.diskSchema,
        "Error": ErrorView.schema,
        "Event": EventView.schema,
        "EventPage": EventPage.schema,
        "IssuerEntry": IssuerEntryView.schema,
        "IssuerFault": FaultBodies.issuerSchema,
        "IssuerPlan": PlanBody.issuerSchema,
        "Keys": KeysBody.schema,
        "Need": NeedView.schema,
        "Payment": PaymentView.schema,
        "PaymentPlan": PaymentBody.schema,
        "Plan": PlanBody.schema,
        "PrintJob": PrintJobView.schema,
        "Printer": PrinterView.schema,
        "PrinterChange": ConditionBodies.printerSchema,
        "Reader": ReaderView.schema,
        "ReaderFault": FaultBodies.readerSchema,
        "ReaderPlan": ReaderBody.schema,
        "Reconciliation": ReconciliationView.schema,
        "Refund": PaymentBody.refundSchema,
        "Restart": RestartView.schema,
        "Rules": .object([Field("rules", .text, "The name of built-in rules, or rules as YAML text.")]),
        "Service": ServiceView.schema,
        "Session": SessionView.schema,
        "Store": StoreView.schema,
        "StoreFault": FaultBodies.storeSchema,
        "StorePlan": PlanBody.storeSchema,
    ]

    /// The keys of a body.
    static func fields(of schema: Schema) -> [Field] {
        if case .named(let name) = schema { schemas[name]?.fields ?? [] } else { schema.fields }
    }

    /// As it is served and committed.
    static let bytes = APIAnswer.encoded(document, pretty: true) + [0x0A]

    static var document: JSONValue {
        var paths: [String: [String: JSONValue]] = [:]
        for route in Route.table { paths[route.path, default: [:]][route.method.lowercased()] = operation(route) }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "CardPresent simulator", "version": "1",
                "description":
                    "Simulated card payment sessions, for tests in any language. See docs/simulate-serve.md.",
                "license": ["name": "See LICENSE", "url": "https://opensource.org/licenses"],
            ],
            "servers": [["url": "http://127.0.0.1:8200"]],
            "security": [[:], ["token": []]],
            "paths": .object(paths.mapValues { .object($0) }),
            "components": [
                "schemas": .object(schemas.mapValues(\.json)),
                "securitySchemes": [
                    "token": [
                        "type": "http", "scheme": "bearer",
                        "description": "Needed when the server is reached from other machines.",
                    ]
                ],
            ],
        ]
    }

    private static func operation(_ route: Route) -> JSONValue {
        var members: [String: JSONValue] = [
            "operationId": .text(route.name), "summary": .text(route.summary),
            "responses": responses(route),
        ]
        var parameters: [JSONValue] = route.pathNames.map { name in
            ["name": .text(name), "in": "path", "required": true, "schema": ["type": "string"]]
        }
        parameters += route.query.map { parameter($0, "query") }
        parameters += route.headers.map { parameter($0, "header") }
        if !parameters.isEmpty { members["parameters"] = .list(parameters) }
        if let body = route.body {
            members["requestBody"] = [
                "required": .bool(route.isBodyRequired), "content": ["application/json": ["schema": body.json]],
            ]
        }
        return .object(members)
    }

    private static func parameter(_ parameter: Route.Parameter, _ place: String) -> JSONValue {
        [
            "name": .text(parameter.name), "in": .text(place), "required": false,
            "description": .text(parameter.summary), "schema": parameter.schema.json,
        ]
    }

    private static func responses(_ route: Route) -> JSONValue {
        var success: [String: JSONValue] = ["description": .text(route.success.summary)]
        if !route.success.content.isEmpty {
            var content: [String: JSONValue] = [:]
            for (mediaType, schema) in route.success.content {
                content[mediaType] = schema.map { ["schema": $0.json] } ?? [:]
            }
            success["content"] = .object(content)
        }
        var responses: [String: JSONValue] = [
            String(route.success.status): .object(success),
            "default": failure("Every failure has this shape."),
        ]
        for (status, summary) in route.failures { responses[String(status)] = failure(summary) }
        return .object(responses)
    }

    private static func failure(_ summary: String) -> JSONValue {
        [
            "description": .text(summary),
            "content": ["application/json": ["schema": ["$ref": "#/components/schemas/Error"]]],
        ]
    }
}
