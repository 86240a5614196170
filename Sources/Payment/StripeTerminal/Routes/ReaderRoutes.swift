import Determinism
import Text

extension StripeRoute {
    static let readers: [StripeRoute] = [
        StripeRoute("POST", "/v1/terminal/readers", ["registration_code", "label", "location", "metadata"]) {
            terminal, call, _ throws(StripeError) in
            guard terminal.setup.reader == nil else { throw .ownReader }
            let code = try call.parameters.required("registration_code")
            guard let model = StripeReader.models.first(where: { $0.code == code }) else {
                throw StripeError(
                    code: nil, "No reader has this registration code: use one such as simulated-wpe.",
                    parameter: "registration_code")
            }
            let location = try call.parameters.text("location")
            if let location, terminal.books.locations[location] == nil {
                throw .noSuch("terminal.location", location, parameter: "location")
            }
            let serial = serialNumber(model.serial, terminal.books.readers.all.count + 1)
            let reader = StripeReader(
                id: terminal.names.next("tmr_"), type: model.type, serialNumber: serial,
                label: try call.parameters.text("label", atMost: 255) ?? serial, location: location,
                metadata: try call.parameters.metadata(), seen: terminal.now.milliseconds)
            terminal.books.readers[reader.id] = reader
            terminal.desks[reader.id] = StripeDesk()
            return reader.json
        },
        StripeRoute(
            "GET", "/v1/terminal/readers",
            StripePage.names("location", "serial_number", "status", "device_type")
        ) { terminal, call, _ throws(StripeError) in
            let parameters = call.parameters
            let (location, serial) = (try parameters.text("location"), try parameters.text("serial_number"))
            let status = try parameters.word("status", ["online", "offline"])
            let type = try parameters.text("device_type")
            let readers = terminal.books.readers.all.filter { reader in
                !reader.isDeleted && (location == nil || reader.location == location)
                    && (serial == nil || reader.serialNumber == serial)
                    && (status == nil || reader.isOnline == (status == "online"))
                    && (type == nil || reader.type == type)
            }
            return try StripePage.json(readers, call.request.path, parameters, \.json)
        },
        StripeRoute("GET", "/v1/terminal/readers/:id") { terminal, _, id throws(StripeError) in
            guard let reader = terminal.books.readers[id] else { throw .noSuch("terminal.reader", id) }
            return reader.json
        },
        StripeRoute("POST", "/v1/terminal/readers/:id", ["label", "metadata"]) {
            terminal, call, id throws(StripeError) in
            var reader = try terminal.reader(id)
            if call.parameters.has("label") {
                reader.label = try call.parameters.text("label", atMost: 255) ?? reader.serialNumber
            }
            reader.metadata = try call.parameters.metadata(over: reader.metadata)
            terminal.books.readers[id] = reader
            return reader.json
        },
        StripeRoute("DELETE", "/v1/terminal/readers/:id") { terminal, _, id throws(StripeError) in
            var reader = try terminal.reader(id)
            guard terminal.setup.reader == nil else { throw .ownReader }
            if try terminal.clear(id) { return nil }
            reader.isDeleted = true
            terminal.books.readers[id] = reader
            return reader.json
        },
    ]

    /// `simulated-wpe-000-000-00-001` is the first reader.
    private static func serialNumber(_ model: String, _ number: Int) -> String {
        "simulated-\(model)-000-000-00-" + number.zeroPadded(to: 3)
    }

    static let locations: [StripeRoute] = [
        StripeRoute("POST", "/v1/terminal/locations", locationParameters) { terminal, call, _ throws(StripeError) in
            let parameters = call.parameters
            guard let address = try parameters.map("address") else { throw .missing("address") }
            _ = try address.required("country")
            let location = StripeLocation(
                id: terminal.names.next("tml_"), name: try parameters.required("display_name"),
                address: try parts(address), phone: try parameters.text("phone"),
                metadata: try parameters.metadata())
            terminal.books.locations[location.id] = location
            return location.json
        },
        StripeRoute("GET", "/v1/terminal/locations", StripePage.names()) { terminal, call, _ throws(StripeError) in
            try StripePage.json(terminal.books.locations.all, call.request.path, call.parameters, \.json)
        },
        StripeRoute("GET", "/v1/terminal/locations/:id") { terminal, _, id throws(StripeError) in
            guard let location = terminal.books.locations[id] else { throw .noSuch("terminal.location", id) }
            return location.json
        },
        StripeRoute("POST", "/v1/terminal/locations/:id", locationParameters) {
            terminal, call, id throws(StripeError) in
            guard var location = terminal.books.locations[id] else { throw .noSuch("terminal.location", id) }
            let parameters = call.parameters
            if parameters.has("display_name") { location.name = try parameters.required("display_name") }
            if let address = try parameters.map("address") { location.address = try parts(address) }
            if parameters.has("phone") { location.phone = try parameters.text("phone") }
            location.metadata = try parameters.metadata(over: location.metadata)
            terminal.books.locations[id] = location
            return location.json
        },
        StripeRoute("DELETE", "/v1/terminal/locations/:id") { terminal, _, id throws(StripeError) in
            guard terminal.books.locations[id] != nil else { throw .noSuch("terminal.location", id) }
            terminal.books.locations[id] = nil
            return ["id": .text(id), "object": "terminal.location", "deleted": true]
        },
        StripeRoute("POST", "/v1/terminal/connection_tokens", ["location"]) { terminal, call, _ throws(StripeError) in
            var members: [JSONValue.Member] = [
                .init("object", "terminal.connection_token"), .init("secret", .text(terminal.names.next("pst_test_"))),
            ]
            if let location = try call.parameters.text("location") {
                guard terminal.books.locations[location] != nil else {
                    throw .noSuch("terminal.location", location, parameter: "location")
                }
                members.insert(.init("location", .text(location)), at: 1)
            }
            return .object(members)
        },
    ]

    private static let locationParameters = ["display_name", "address", "phone", "metadata"]

    private static func parts(_ address: StripeParameters) throws(StripeError) -> [String?] {
        try address.check(only: StripeLocation.addressParts)
        var parts: [String?] = []
        for name in StripeLocation.addressParts { parts.append(try address.text(name, atMost: 200)) }
        return parts
    }
}
