import HTTPInterface
import Sessions
import Simulator

extension ServiceRoute {
    /// The routes of readers and cards.
    static let readers: [ServiceRoute] = [
        ServiceRoute(
            method: "GET", path: "/v1/sessions/{session}/readers", name: "listReaders", summary: "Lists the readers.",
            success: .list("Reader", "In the order of the plan.")
        ) { call async throws(APIError) in .list(try await call.session().readers(), as: Views.reader) },
        ServiceRoute(
            method: "POST", path: "/v1/sessions/{session}/readers", name: "createReader",
            summary: "Adds a reader.", body: .named("ReaderPlan"),
            success: .json("Reader", "The reader.", status: 201)
        ) { call async throws(APIError) in
            let session = try call.session()
            let reader = try ReaderBody.planned(call.body, number: try await session.readers().count + 1)
            try await session.step("add") { session async throws(SimulatedSessionError) in try session.add(reader) }
            return .json(try await Self.reader(reader.name, session), as: Views.reader, status: 201)
        },
        ServiceRoute(
            method: "GET", path: "/v1/sessions/{session}/readers/{reader}", name: "readReader",
            summary: "Returns a reader.",
            success: .json("Reader", "The reader.")
        ) { call async throws(APIError) in
            .json(try await Self.reader(call.values["reader"] ?? "", try call.session()), as: Views.reader)
        },
        act("plug", "plugReader", "Plugs a reader in.") { _, reader throws(APIError) in .plugIn(reader: reader) },
        act("unplug", "unplugReader", "Unplugs a reader.") { _, reader throws(APIError) in .unplug(reader: reader) },
        act("insert", "insertCard", "Inserts a card.", body: .named("CardChoice")) {
            call, reader throws(APIError) in .insert(card: try call.body["card"]?.text(), reader: reader)
        },
        act("remove", "removeCard", "Removes the card from the slot or the field.") { _, reader throws(APIError) in
            .removeCard(reader: reader)
        },
        act("swipe", "swipeCard", "Swipes a card.", body: .named("CardChoice")) { call, reader throws(APIError) in
            .swipe(card: try call.body["card"]?.text(), reader: reader)
        },
        act("tap", "tapCard", "Holds a card in the field, where it stays.", body: .named("CardChoice")) {
            call, reader throws(APIError) in .tap(card: try call.body["card"]?.text(), reader: reader)
        },
        act("away", "moveCardAway", "Moves the card out of the field.") { _, reader throws(APIError) in
            .moveAway(reader: reader)
        },
        act("battery", "setBattery", "Sets the battery level.", body: .named("Battery")) {
            call, reader throws(APIError) in
            .battery(percent: UInt8(try call.body.required("percent").int(0...100)), reader: reader)
        },
        act("faults", "addReaderFault", "Adds a fault of the reader.", body: .named("ReaderFault")) {
            call, reader throws(APIError) in .readerFault(try FaultBodies.reader(call.body), reader: reader)
        },
        ServiceRoute(
            method: "DELETE", path: "/v1/sessions/{session}/readers/{reader}/faults", name: "removeReaderFaults",
            summary: "Removes the armed faults of the reader and ends a hang.", success: .nothing
        ) { call async throws(APIError) in
            try await call.session().act([.readerRecovers(reader: call.values["reader"] ?? "")])
            return .nothing
        },
        change(
            "readers/{reader}/press", "pressKeys",
            "Presses keys of the reader, or of the terminal if it asks for the PIN.", body: .named("Keys")
        ) { call, session async throws(APIError) in
            let reader = call.values["reader"]
            var acts: [SessionAct] = []
            for node in try call.body.required("keys").list(1...32) {
                acts.append(.press(try KeysBody.key(node), reader: reader))
            }
            try await session.act(acts)
        },
        change("readers/{reader}/connect", "connectReader", "Connects the reader to the till.") {
            call, session async throws(APIError) in try await session.connect(call.values["reader"])
        },
        change("readers/{reader}/disconnect", "disconnectReader", "Disconnects the reader from the till.") {
            call, session async throws(APIError) in
            _ = try await Self.reader(call.values["reader"] ?? "", session)
            try await session.step("disconnect") { session async throws(SimulatedSessionError) in
                try await session.disconnect()
            }
        },
        ServiceRoute(
            method: "GET", path: "/v1/sessions/{session}/cards", name: "listCards",
            summary: "Lists the cards of the session.", success: .list("Card", "In the order of the plan.")
        ) { call async throws(APIError) in .list(try call.session().plan.plan.cards, as: Views.plannedCard) },
        change(
            "cards/{card}/unlock", "unlockCard", "The owner of the device unlocks it.",
            failures: [(409, "The card is no device.")]
        ) { call, session async throws(APIError) in
            let name = call.values["card"] ?? ""
            let card = session.plan.plan.cards.first { $0.name == name }
            guard card.map({ $0.profile.contactless?.verification.contains(.device) ?? false }) ?? true else {
                throw APIError(
                    409, "no_device", "card '\(name)' is no device that its owner can unlock",
                    fix: "unlock a card whose profile has 'verification: [device]'")
            }
            try await session.act([.unlock(card: name)])
        },
        change(
            "choice", "chooseApplication", "Selects one of the offered card applications.", body: .named("Choice"),
            failures: [(409, "The application cannot be selected now.")]
        ) { call, session async throws(APIError) in
            let index = try call.body["application"]?.int(0...255)
            let isTaken = try await session.look("choose") { session async throws(SimulatedSessionError) in
                session.choose(index)
            }
            guard isTaken else {
                throw APIError(
                    409, "no_choice", "there is no such choice now", fix: "see 'waitingFor' of the session")
            }
        },
    ]

    /// Creates a route for an act at a reader.
    private static func act(
        _ word: String, _ name: String, _ summary: String, body: Schema? = nil,
        _ make: @escaping @Sendable (ServiceCall, String) throws(APIError) -> SessionAct
    ) -> ServiceRoute {
        change("readers/{reader}/\(word)", name, summary, body: body) { call, session async throws(APIError) in
            try await session.act([try make(call, call.values["reader"] ?? "")])
        }
    }

    private static func reader(_ name: String, _ session: ServedSession) async throws(APIError) -> SessionReaderState {
        let readers = try await session.readers()
        guard let reader = readers.first(where: { $0.name == name }) else {
            throw APIError(.noSuchReader(name, known: readers.map(\.name)))
        }
        return reader
    }
}
