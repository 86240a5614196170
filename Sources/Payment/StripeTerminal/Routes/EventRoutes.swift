import Text

extension StripeRoute {
    static let events: [StripeRoute] = [
        StripeRoute("GET", "/v1/events", StripePage.names("created", "type", "types")) {
            terminal, call, _ throws(StripeError) in
            let time = try StripeTimeFilter(call.parameters)
            var types = try call.parameters.texts("types")
            if let type = try call.parameters.text("type") { types = [type] }
            let events = terminal.books.events.all.filter { event in
                time.takes(event.created) && types?.contains { fits(event.type, $0) } ?? true
            }
            let outbox = terminal.outbox
            return try StripePage.json(events, call.request.path, call.parameters) {
                $0.json(pending: outbox.pending($0.id))
            }
        },
        StripeRoute("GET", "/v1/events/:id") { terminal, _, id throws(StripeError) in
            guard let event = terminal.books.events[id] else { throw .noSuch("event", id) }
            return event.json(pending: terminal.outbox.pending(id))
        },
    ]

    /// Whether a type is meant: `charge.*` are all that begin so.
    private static func fits(_ type: String, _ wanted: String) -> Bool {
        wanted.hasSuffix("*") ? type.hasPrefix(wanted.dropLast()) : type == wanted
    }

    private static let endpointParameters = ["url", "enabled_events", "description", "api_version", "metadata"]

    static let webhooks: [StripeRoute] = [
        StripeRoute("POST", "/v1/webhook_endpoints", endpointParameters) { terminal, call, _ throws(StripeError) in
            let parameters = call.parameters
            let address = try url(parameters)
            guard let events = try parameters.texts("enabled_events"), !events.isEmpty else {
                throw .missing("enabled_events")
            }
            let endpoint = StripeWebhookEndpoint(
                id: terminal.names.next("we_"), secret: terminal.names.next("whsec_", length: 32),
                created: terminal.seconds, address: address, events: events,
                description: try parameters.text("description"), apiVersion: try parameters.text("api_version"),
                metadata: try parameters.metadata())
            terminal.books.endpoints[endpoint.id] = endpoint
            return endpoint.json(withSecret: true)
        },
        StripeRoute("GET", "/v1/webhook_endpoints", StripePage.names()) { terminal, call, _ throws(StripeError) in
            try StripePage.json(terminal.books.endpoints.all, call.request.path, call.parameters) { $0.json() }
        },
        StripeRoute("GET", "/v1/webhook_endpoints/:id") { terminal, _, id throws(StripeError) in
            guard let endpoint = terminal.books.endpoints[id] else { throw .noSuch("webhook_endpoint", id) }
            return endpoint.json()
        },
        StripeRoute(
            "POST", "/v1/webhook_endpoints/:id", ["url", "enabled_events", "description", "disabled", "metadata"]
        ) { terminal, call, id throws(StripeError) in
            guard var endpoint = terminal.books.endpoints[id] else { throw .noSuch("webhook_endpoint", id) }
            let parameters = call.parameters
            if parameters.has("url") { endpoint.address = try url(parameters) }
            if let events = try parameters.texts("enabled_events"), !events.isEmpty { endpoint.events = events }
            if parameters.has("description") { endpoint.description = try parameters.text("description") }
            if let isDisabled = try parameters.flag("disabled") { endpoint.isEnabled = !isDisabled }
            endpoint.metadata = try parameters.metadata(over: endpoint.metadata)
            terminal.books.endpoints[id] = endpoint
            if !endpoint.isEnabled { terminal.outbox.remove(endpoint: id) }
            return endpoint.json()
        },
        StripeRoute("DELETE", "/v1/webhook_endpoints/:id") { terminal, _, id throws(StripeError) in
            guard terminal.books.endpoints[id] != nil else { throw .noSuch("webhook_endpoint", id) }
            terminal.books.endpoints[id] = nil
            terminal.outbox.remove(endpoint: id)
            return ["id": .text(id), "object": "webhook_endpoint", "deleted": true]
        },
    ]

    private static func url(_ parameters: StripeParameters) throws(StripeError) -> String {
        let address = try parameters.required("url")
        guard address.hasPrefix("http://") || address.hasPrefix("https://"),
            address.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw StripeError(
                code: "url_invalid", "Invalid URL: it begins with http:// or https://.", parameter: "url",
                isStored: false)
        }
        return address
    }

    static let others: [StripeRoute] = [
        StripeRoute("GET", "/v1/account") { _, _, _ throws(StripeError) in
            [
                "id": "acct_cardpresent", "object": "account", "charges_enabled": true, "country": "US",
                "default_currency": "usd", "details_submitted": true, "payouts_enabled": false, "type": "standard",
            ]
        },
        StripeRoute("POST", control + "faults", ["fault", "reader", "endpoint", "times"]) {
            terminal, call, _ throws(StripeError) in
            let kinds = StripeFault.Kind.allCases.map(\.rawValue)
            let deliveries = StripeDeliveryFault.allCases.map(\.rawValue)
            let names = ["reader_offline", "reader_online"] + kinds + deliveries
            guard let name = try call.parameters.word("fault", names) else { throw .missing("fault") }
            let reader = try call.parameters.text("reader")
            if let reader { _ = try terminal.reader(reader) }
            let endpoint = try call.parameters.text("endpoint")
            if let endpoint {
                guard deliveries.contains(name) else { throw .unknown(parameter: "endpoint") }
                guard terminal.books.endpoints[endpoint] != nil else {
                    throw .noSuch("webhook endpoint", endpoint, parameter: "endpoint")
                }
            }
            let times = Int(try call.parameters.integer("times", in: 1...1000) ?? 1)
            if let kind = StripeFault.Kind(rawValue: name) {
                terminal.faults.append(StripeFault(kind: kind, reader: reader, times: times))
            } else if let fault = StripeDeliveryFault(rawValue: name) {
                terminal.outbox.plan(fault, endpoint: endpoint, times: times)
            } else {
                for known in terminal.books.readers.all where reader == nil || known.id == reader {
                    terminal.books.readers[known.id]?.isOnline = name == "reader_online"
                }
            }
            return [
                "object": "fault", "fault": .text(name), "reader": JSONValue(reader),
                "endpoint": JSONValue(endpoint), "times": JSONValue(Int64(times)),
            ]
        },
        StripeRoute("DELETE", control + "faults") { terminal, _, _ throws(StripeError) in
            terminal.faults = []
            for reader in terminal.books.readers.all { terminal.books.readers[reader.id]?.isOnline = true }
            return ["object": "fault", "deleted": true]
        },
    ]
}
