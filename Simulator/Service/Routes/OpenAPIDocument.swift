import HTTPInterface
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
        "Error": APIError.view.schema,
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

    /// A request of a session that a store keeps can be repeated with its number.
    private static func withStoredNumber(_ route: ServiceRoute) -> ServiceRoute {
        var route = route
        if route.isStored { route.headers.append(StoredSessions.numberParameter) }
        return route
    }

    static var document: JSONValue {
        OpenAPI(
            title: "CardPresent simulator",
            summary: "Simulated card payment sessions, for tests in any language. See docs/simulate-serve.md.",
            server: "http://127.0.0.1:8200", needsToken: false,
            token: "Required when the server accepts connections from other machines.", shapes: schemas
        ).document(of: ServiceRoute.table.map(withStoredNumber))
    }
}
