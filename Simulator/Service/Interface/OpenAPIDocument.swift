internal import Simulator
internal import Text

/// The OpenAPI 3.1 document, generated from the table of routes.
enum OpenAPIDocument {
    /// The named shapes.
    static let schemas: [String: Schema] = [
        "Advance": .object([
            Field("seconds", .integer(0...31_622_400), optional: true),
            Field("milliseconds", .integer(0...86_400_000), optional: true),
        ]),
        "Battery": .object([Field("percent", .integer(0...100))]),
        "Card": Views.plannedCard.schema,
        "CardChoice": .object([
            Field("card", .text, "The name of one of the session's cards. Default: the payment's card.", optional: true)
        ]),
        "CardPlan": PlanBody.cardSchema,
        "Catalogue": Views.catalog.schema,
        "Choice": .object([
            Field(
                "application", .nullable(.integer(0...255)), "The number of the application, from 0; null to cancel.",
                optional: true)
        ]),
        "Clock": Views.clock.schema,
        "Conduct": PaymentBody.conductSchema,
        "Disk": Views.disk.schema,
        "DiskChange": ConditionBodies.schema(DiskCondition.self),
        "Error": Views.error.schema,
        "Event": Views.event.schema,
        "EventPage": Views.eventPage.schema,
        "IssuerEntry": Views.issuerEntry.schema,
        "IssuerFault": FaultBodies.issuerSchema,
        "IssuerPlan": PlanBody.issuerSchema,
        "Keys": KeysBody.schema,
        "Need": Views.need.schema,
        "Payment": Views.payment.schema,
        "PaymentPlan": PaymentBody.schema,
        "Plan": PlanBody.schema,
        "PrintJob": Views.print.schema,
        "Printer": Views.printer.schema,
        "PrinterChange": ConditionBodies.schema(SimulatedPrinterCondition.self),
        "Reader": Views.reader.schema,
        "ReaderFault": FaultBodies.readerSchema,
        "ReaderPlan": ReaderBody.schema,
        "Reconciliation": Views.reconciliation.schema,
        "Refund": PaymentBody.refundSchema,
        "Restart": Views.restart.schema,
        "Rules": .object([Field("rules", .text, "The name of built-in rules, or rules as YAML text.")]),
        "Service": Views.service.schema,
        "Session": Views.session.schema,
        "Store": Views.store.schema,
        "StoreFault": FaultBodies.storeSchema,
        "StorePlan": PlanBody.storeSchema,
    ]

    /// Returns the keys of a body.
    static func fields(of schema: Schema) -> [Field] {
        if case .named(let name) = schema { schemas[name]?.fields ?? [] } else { schema.fields }
    }

    /// The document as served and as committed to the repository.
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
            "paths": .members(paths.mapValues { .members($0) }),
            "components": [
                "schemas": .members(schemas.mapValues(\.json)),
                "securitySchemes": [
                    "token": [
                        "type": "http", "scheme": "bearer",
                        "description": "Required when the server accepts connections from other machines.",
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
        return .members(members)
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
            success["content"] = .members(content)
        }
        var responses: [String: JSONValue] = [
            String(route.success.status): .members(success),
            "default": failure("An error."),
        ]
        for (status, summary) in route.failures { responses[String(status)] = failure(summary) }
        return .members(responses)
    }

    private static func failure(_ summary: String) -> JSONValue {
        [
            "description": .text(summary),
            "content": ["application/json": ["schema": ["$ref": "#/components/schemas/Error"]]],
        ]
    }
}
