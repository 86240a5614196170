import Simulator
import Text

/// The OpenAPI 3.1 document, generated from the table of routes.
enum OpenAPIDocument {
    /// The named shapes.
    static let schemas: [String: Schema] = [
        "Advance": .needing(
            .atLeastOne(["seconds", "milliseconds"]),
            .object([
                Field("seconds", .integer(0...31_622_400), optional: true),
                Field("milliseconds", .integer(0...86_400_000), optional: true),
            ])),
        "ArmedFault": Views.armedFault.schema,
        "Battery": .object([Field("percent", .integer(0...100))]),
        "Breakpoints": .object([
            Field(
                "events", .list(.phrase(1...200), 0...100),
                "The beginnings of events, such as `journal authorizing` or `apdu 80AE`.")
        ]),
        "Card": Views.plannedCard.schema,
        "CardChoice": .object([
            Field(
                "card", .phrase(1...200), "The name of one of the session's cards. Default: the payment's card.",
                optional: true)
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
        "Continue": .object([
            Field(
                "events", .integer(1...1_000_000),
                "The number of events after which to pause again. Default: none, until a breakpoint.", optional: true)
        ]),
        "DecodedExchange": Views.decodedExchange.schema,
        "DecodedValue": Views.decodedValue.schema,
        "Disk": Views.disk.schema,
        "DiskChange": ConditionBodies.schema(DiskCondition.self),
        "Error": Views.error.schema,
        "Event": Views.event.schema,
        "EventDecoding": Views.eventDecoding.schema,
        "EventPage": Views.eventPage.schema,
        "Health": Views.health.schema,
        "HostPlan": PlanBody.hostSchema,
        "IssuerEntry": Views.issuerEntry.schema,
        "IssuerFault": FaultBodies.issuerSchema,
        "IssuerPlan": PlanBody.issuerSchema,
        "Keys": KeysBody.schema,
        "Mismatch": Views.mismatch.schema,
        "Need": Views.need.schema,
        "Payment": Views.payment.schema,
        "PaymentPlan": PaymentBody.schema,
        "Plan": PlanBody.schema,
        "PlayedScenario": Views.playedScenario.schema,
        "PrintJob": Views.print.schema,
        "Printer": Views.printer.schema,
        "PrinterChange": ConditionBodies.schema(SimulatedPrinterCondition.self),
        "Reader": Views.reader.schema,
        "ReaderFault": FaultBodies.readerSchema,
        "ReaderPlan": ReaderBody.schema,
        "Reconciliation": Views.reconciliation.schema,
        "Refund": PaymentBody.refundSchema,
        "Repeat": .object([
            Field(
                "event", .integer(1...Int(Int32.max)), "The last event to repeat. Default: the newest.", optional: true)
        ]),
        "Request": Views.request.schema,
        "Restart": Views.restart.schema,
        "Rules": .object([
            Field("rules", .phrase(1...PlanBody.longestText), "The name of built-in rules, or rules as YAML text.")
        ]),
        "ScenarioText": ScenarioBody.schema,
        "Service": Views.service.schema,
        "Session": Views.session.schema,
        "StandingFault": Views.standingFault.schema,
        "Store": Views.store.schema,
        "StoreFault": FaultBodies.storeSchema,
        "StorePlan": PlanBody.storeSchema,
    ]

    /// The document as served and as committed to the repository.
    static let bytes = APIAnswer.encoded(document, pretty: true) + [0x0A]

    static var document: JSONValue {
        var paths: [String: [String: JSONValue]] = [:]
        for route in ServiceRoute.table {
            paths[route.path, default: [:]][route.method.lowercased()] = operation(route)
        }
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

    private static func operation(_ route: ServiceRoute) -> JSONValue {
        var members: [String: JSONValue] = [
            "operationId": .text(route.name), "summary": .text(route.summary),
            "responses": responses(route),
        ]
        var parameters: [JSONValue] = route.pathNames.map { name in
            ["name": .text(name), "in": "path", "required": true, "schema": ["type": "string"]]
        }
        parameters += route.query.map { parameter($0, "query") }
        parameters += route.headers.map { parameter($0, "header") }
        if route.isStored { parameters.append(parameter(StoredSessions.numberParameter, "header")) }
        if !parameters.isEmpty { members["parameters"] = .list(parameters) }
        if let body = route.body {
            members["requestBody"] = [
                "required": .bool(body.resolved.needsKeys), "content": ["application/json": ["schema": body.json]],
            ]
        }
        return .members(members)
    }

    private static func parameter(_ parameter: ServiceRoute.Parameter, _ place: String) -> JSONValue {
        [
            "name": .text(parameter.name), "in": .text(place), "required": false,
            "description": .text(parameter.summary), "schema": parameter.schema.json,
        ]
    }

    private static func responses(_ route: ServiceRoute) -> JSONValue {
        var success: [String: JSONValue] = ["description": .text(route.success.summary)]
        if !route.success.content.isEmpty {
            var content: [String: JSONValue] = [:]
            for (mediaType, schema) in route.success.content {
                content[mediaType] = schema.map { ["schema": $0.json] } ?? [:]
            }
            success["content"] = .members(content)
        }
        if route.success.status == 201 { success["headers"] = headers(created(route)) }
        var responses: [String: JSONValue] = [String(route.success.status): .members(success)]
        for (status, summary) in route.allFailures { responses[String(status)] = failure(status, summary) }
        return .members(responses)
    }

    private static func created(_ route: ServiceRoute) -> [String] {
        let isPayment = route.headers.contains { $0.name == "Idempotency-Key" }
        return isPayment ? ["Location", "Idempotency-Replayed"] : route.path == "/v1/sessions" ? ["Location"] : []
    }

    private static func failure(_ status: Int, _ summary: String) -> JSONValue {
        var members: [String: JSONValue] = [
            "description": .text(summary),
            "content": ["application/json": ["schema": ["$ref": "#/components/schemas/Error"]]],
        ]
        if status == 401 { members["headers"] = headers(["WWW-Authenticate"]) }
        if status == 405 { members["headers"] = headers(["Allow"]) }
        return .members(members)
    }

    private static func headers(_ names: [String]) -> JSONValue {
        .members(Dictionary(names.map { ($0, ["schema": ["type": "string"]]) }) { first, _ in first })
    }
}
