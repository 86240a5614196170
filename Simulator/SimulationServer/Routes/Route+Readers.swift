internal import Sessions
internal import Simulator

extension Route {
    /// Readers and cards.
    static let readers: [Route] = [
        Route(
            method: "GET", path: "/v1/sessions/{session}/readers", name: "listReaders", summary: "The readers.",
            success: .list("Reader", "In the order of the plan.")
        ) { call async throws(APIError) in .json(try await call.session().readers()) },
        Route(
            method: "POST", path: "/v1/sessions/{session}/readers", name: "createReader",
            summary: "Another reader is there from now on.", body: .named("ReaderPlan"),
            success: .json("Reader", "The reader.", status: 201)
        ) { call async throws(APIError) in
            let session = try call.session()
            let reader = try ReaderBody.planned(call.body, number: try await session.readers().count + 1)
            try await session.step("add") { session async throws(SimulatedSessionError) in try session.add(reader) }
            return .json(try await Self.reader(reader.name, session), status: 201)
        },
        Route(
            method: "GET", path: "/v1/sessions/{session}/readers/{reader}", name: "readReader", summary: "A reader.",
            success: .json("Reader", "The reader.")
        ) { call async throws(APIError) in .json(try await Self.reader(call.values["reader"] ?? "", try call.session()))
        },
        act("plug", "plugReader", "Plugs a reader in.") { _, reader throws(APIError) in .plugIn(reader: reader) },
        act("unplug", "unplugReader", "Pulls a reader out.") { _, reader throws(APIError) in .unplug(reader: reader) },
        act("insert", "insertCard", "Puts a card into the slot.", body: .named("CardChoice")) {
            call, reader throws(APIError) in .insert(card: try call.body["card"]?.text(), reader: reader)
        },
        act("remove", "removeCard", "Takes the card out.") { _, reader throws(APIError) in
            .removeCard(reader: reader)
        },
        act("swipe", "swipeCard", "Swipes a card.", body: .named("CardChoice")) { call, reader throws(APIError) in
            .swipe(card: try call.body["card"]?.text(), reader: reader)
        },
        act("battery", "setBattery", "Sets the charge of the battery.", body: .named("Battery")) {
            call, reader throws(APIError) in
            .battery(percent: UInt8(try call.body.required("percent").int(0...100)), reader: reader)
        },
        act("faults", "addReaderFault", "Something goes wrong in the reader.", body: .named("ReaderFault")) {
            call, reader throws(APIError) in .readerFault(try FaultBodies.reader(call.body), reader: reader)
        },
        Route(
            method: "POST", path: "/v1/sessions/{session}/readers/{reader}/press", name: "pressKeys",
            summary: "Presses keys of the reader, or of the terminal where it asks for the PIN.",
            body: .named("Keys"), isBodyRequired: true, success: .json("Session", "The session afterwards.")
        ) { call async throws(APIError) in
            let session = try call.session()
            let reader = call.values["reader"]
            var acts: [SessionAct] = []
            for node in try call.body.required("keys").list(1...32) {
                acts.append(.press(try KeysBody.key(node), reader: reader))
            }
            try await session.act(acts)
            return .json(try await session.view())
        },
        Route(
            method: "POST", path: "/v1/sessions/{session}/readers/{reader}/connect", name: "connectReader",
            summary: "The till connects the reader.", success: .json("Session", "The session afterwards.")
        ) { call async throws(APIError) in
            let session = try call.session()
            try await session.connect(call.values["reader"])
            return .json(try await session.view())
        },
        Route(
            method: "POST", path: "/v1/sessions/{session}/readers/{reader}/disconnect", name: "disconnectReader",
            summary: "The till lets go of its reader.", success: .json("Session", "The session afterwards.")
        ) { call async throws(APIError) in
            let session = try call.session()
            _ = try await Self.reader(call.values["reader"] ?? "", session)
            try await session.step("disconnect") { session async throws(SimulatedSessionError) in
                try await session.disconnect()
            }
            return .json(try await session.view())
        },
        Route(
            method: "GET", path: "/v1/sessions/{session}/cards", name: "listCards",
            summary: "The cards of the session.", success: .list("Card", "In the order of the plan.")
        ) { call async throws(APIError) in .json(try call.session().plan.plan.cards.map { CardView($0) }) },
        Route(
            method: "POST", path: "/v1/sessions/{session}/choice", name: "chooseApplication",
            summary: "Chooses one of the applications that are offered.", body: .named("Choice"), isBodyRequired: true,
            success: .json("Session", "The session afterwards."), failures: [(409, "There is no such choice now.")]
        ) { call async throws(APIError) in
            let session = try call.session()
            let index = try call.body["application"]?.int(0...255)
            let isTaken = try await session.look("choose") { session async throws(SimulatedSessionError) in
                session.choose(index)
            }
            guard isTaken else {
                throw APIError(
                    409, "no_choice", "there is no such choice now", fix: "see 'waitingFor' of the session")
            }
            return .json(try await session.view())
        },
    ]

    /// Something that is done at a reader.
    private static func act(
        _ word: String, _ name: String, _ summary: String, body: Schema? = nil,
        _ make: @escaping @Sendable (Call, String) throws(APIError) -> SessionAct
    ) -> Route {
        Route(
            method: "POST", path: "/v1/sessions/{session}/readers/{reader}/\(word)", name: name, summary: summary,
            body: body, success: .json("Session", "The session afterwards.")
        ) { call async throws(APIError) in
            let session = try call.session()
            try await session.act([try make(call, call.values["reader"] ?? "")])
            return .json(try await session.view())
        }
    }

    private static func reader(_ name: String, _ session: ServedSession) async throws(APIError) -> ReaderView {
        let readers = try await session.readers()
        guard let reader = readers.first(where: { $0.name == name }) else {
            throw APIError(.noSuchReader(name, known: readers.map(\.name)))
        }
        return reader
    }
}
