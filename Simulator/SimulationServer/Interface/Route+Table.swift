internal import Amounts
internal import Hardware
internal import Sessions
internal import Simulator
internal import StoreSite
internal import Yosemite

extension Route {
    /// Everything that can be asked.
    static let table = service + sessions + readers + payments + world + records

    /// The page and the document tell nothing of any session.
    var needsToken: Bool { path.hasPrefix("/v1") }

    // MARK: The service

    private static let service: [Route] = [
        Route(
            method: "GET", path: "/", name: "console", summary: "The web console.",
            success: Success(status: 200, summary: "A page.", content: [("text/html", nil)])
        ) { _ async throws(APIError) in Console.page },
        Route(
            method: "GET", path: "/openapi.json", name: "openapi", summary: "This document.",
            success: Success(status: 200, summary: "OpenAPI 3.1.", content: [("application/json", nil)])
        ) { _ async throws(APIError) in
            APIAnswer(200, "application/json", .bytes(OpenAPIDocument.bytes))
        },
        Route(
            method: "GET", path: "/v1", name: "service", summary: "The service itself.",
            success: .json("Service", "How full it is.")
        ) { call async throws(APIError) in .json(call.service.view) },
        Route(
            method: "GET", path: "/v1/catalogue", name: "catalogue", summary: "What a session can be made of.",
            success: .json("Catalogue", "Cards, models of readers, issuer rules.")
        ) { _ async throws(APIError) in .json(SimulationService.catalogue) },
    ]

    // MARK: Sessions

    private static let sessions: [Route] = [
        Route(
            method: "GET", path: "/v1/sessions", name: "listSessions", summary: "The sessions that there are.",
            success: .list("Session", "Oldest first.")
        ) { call async throws(APIError) in
            var views: [SessionView] = []
            for session in call.service.sessions { views.append(try await session.view()) }
            return .json(views)
        },
        Route(
            method: "POST", path: "/v1/sessions", name: "createSession",
            summary: "Begins a session; without a plan it has one reader and cards of all kinds.", body: .named("Plan"),
            success: .json("Session", "The session.", status: 201),
            failures: [(422, "The plan has a mistake."), (429, "There are too many sessions.")]
        ) { call async throws(APIError) in
            let session = try await call.service.create(try PlanBody(call.body))
            return .json(try await session.view(), status: 201).with("Location", "/v1/sessions/\(session.id)")
        },
        Route(
            method: "GET", path: "/v1/sessions/{session}", name: "readSession", summary: "A session as it is now.",
            success: .json("Session", "The session.")
        ) { call async throws(APIError) in .json(try await call.session().view()) },
        Route(
            method: "DELETE", path: "/v1/sessions/{session}", name: "deleteSession", summary: "Ends a session.",
            success: .nothing
        ) { call async throws(APIError) in
            await call.service.delete(try call.session())
            return .nothing
        },
        Route(
            method: "POST", path: "/v1/sessions/{session}/reset", name: "resetSession",
            summary: "Puts a new session of the same plan in its place. Streams of events end.",
            success: .json("Session", "The new session.")
        ) { call async throws(APIError) in .json(try await call.service.reset(try call.session()).view()) },
        Route(
            method: "GET", path: "/v1/sessions/{session}/clock", name: "readClock", summary: "The session's clock.",
            success: .json("Clock", "The time.")
        ) { call async throws(APIError) in .json(ClockView(try call.session().session)) },
        Route(
            method: "POST", path: "/v1/sessions/{session}/clock/advance", name: "advanceClock",
            summary: "Lets time go by, whoever is waited for.", body: .named("Advance"), isBodyRequired: true,
            success: .json("Clock", "The time afterwards.")
        ) { call async throws(APIError) in
            let (seconds, milliseconds) = (call.body["seconds"], call.body["milliseconds"])
            guard seconds != nil || milliseconds != nil else {
                throw .body("'seconds' or 'milliseconds' are missing", at: "seconds")
            }
            let duration =
                try (seconds?.seconds() ?? .zero) + .milliseconds(milliseconds?.int(0...86_400_000) ?? 0)
            let session = try call.session()
            await session.advance(duration)
            return .json(ClockView(session.session))
        },
        Route(
            method: "POST", path: "/v1/sessions/{session}/process/crash", name: "crashProcess",
            summary: "The till's process dies, wherever it is.", success: .json("Session", "The session.")
        ) { call async throws(APIError) in
            let session = try call.session()
            try await session.act([.crash])
            return .json(try await session.view())
        },
        Route(
            method: "POST", path: "/v1/sessions/{session}/process/restart", name: "restartProcess",
            summary: "Begins another process on the same records, which finishes what was left in the middle.",
            success: .json("Restart", "What was done.")
        ) { call async throws(APIError) in
            let report = try await call.session().step("restart") { session async throws(SimulatedSessionError) in
                let report = try await session.restart()
                return RestartView(
                    finished: report.finished.count, open: report.open.count, failed: report.failed.count)
            }
            return .json(report)
        },
    ]

    // MARK: Readers and cards

    private static let readers: [Route] = [
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

    // MARK: Payments

    private static let idempotencyKey = [
        Parameter(
            name: "Idempotency-Key", schema: .text,
            summary: "The same key with the same body never starts a second one: the first one is answered.")
    ]

    private static let payments: [Route] = [
        Route(
            method: "GET", path: "/v1/sessions/{session}/payments", name: "listPayments", summary: "The payments.",
            success: .list("Payment", "Oldest first.")
        ) { call async throws(APIError) in .json(try await call.session().payments()) },
        Route(
            method: "POST", path: "/v1/sessions/{session}/payments", name: "startPayment",
            summary: "Takes a payment, as far as it goes without a person.", headers: idempotencyKey,
            body: .named("PaymentPlan"), isBodyRequired: true,
            success: .json("Payment", "The payment, which may be waiting for a person.", status: 201),
            failures: [(409, "Another payment runs, or no reader is connected."), (422, "The body has a mistake.")]
        ) { call async throws(APIError) in
            let payment = try PaymentBody(call.body)
            return try await start(call) { session async throws(SimulatedSessionError) in
                switch payment.subject {
                case .amount(let amount): _ = try await session.pay(amount, payment.options)
                case .order(let order, let expected):
                    _ = try await session.pay(order: order, expected: expected, payment.options)
                }
            }
        },
        Route(
            method: "GET", path: "/v1/sessions/{session}/payments/{payment}", name: "readPayment",
            summary: "A payment.", success: .json("Payment", "The payment.")
        ) { call async throws(APIError) in .json(try await call.session().payment(try call.payment())) },
        Route(
            method: "POST", path: "/v1/sessions/{session}/payments/{payment}/cancel", name: "cancelPayment",
            summary: "Asks the till to cancel the payment that runs.", success: .json("Payment", "The payment."),
            failures: [(409, "The payment does not run.")]
        ) { call async throws(APIError) in
            let (session, number) = (try call.session(), try call.payment())
            _ = try await session.payment(number)
            guard let operation = session.operation, operation.payment == number else {
                throw APIError(409, "not_running", "the payment has ended already")
            }
            try await session.act([operation.kind == .refund ? .cancelRefund : .cancelPayment])
            return .json(try await session.payment(number))
        },
        Route(
            method: "POST", path: "/v1/sessions/{session}/payments/{payment}/retry", name: "retryPayment",
            summary: "Tries a payment again that was declined, cancelled or failed.", headers: idempotencyKey,
            body: .named("Conduct"), success: .json("Payment", "The payment.", status: 201),
            failures: [(409, "It cannot be tried again.")]
        ) { call async throws(APIError) in
            let (options, number) = (try PaymentBody.conduct(call.body), try call.payment())
            _ = try await call.session().payment(number)
            return try await start(call, Operation(.payment, payment: number)) {
                session async throws(SimulatedSessionError) in _ = try await session.retry(number, options)
            }
        },
        Route(
            method: "POST", path: "/v1/sessions/{session}/payments/{payment}/refund", name: "refundPayment",
            summary: "Gives money back.", headers: idempotencyKey, body: .named("Refund"),
            success: .json("Payment", "The payment.", status: 201), failures: [(409, "It cannot be refunded.")]
        ) { call async throws(APIError) in
            let number = try call.payment()
            let payment = try await call.session().payment(number)
            var amount: Money?
            if let node = call.body["amount"], let currency = try? Currency(code: payment.currency) {
                amount = try PaymentBody.money(node, currency)
            }
            return try await start(call, Operation(.refund, payment: number)) {
                [amount] session async throws(SimulatedSessionError) in
                _ = try await session.refund(number, amount: amount)
            }
        },
        Route(
            method: "GET", path: "/v1/sessions/{session}/payments/{payment}/receipt", name: "readReceipt",
            summary: "The newest receipt, as text or as a page.",
            query: [
                Parameter(name: "format", schema: .word(["text", "html"]), summary: "text without."),
                Parameter(name: "copy", schema: .word(["customer", "merchant"]), summary: "customer without."),
                Parameter(name: "kind", schema: .word(["sale", "refund"]), summary: "The newest of any kind without."),
            ],
            success: Success(
                status: 200, summary: "The receipt.", content: [("text/plain", nil), ("text/html", nil)]),
            failures: []
        ) { call async throws(APIError) in try await ReceiptPage(call).answer() },
        Route(
            method: "POST", path: "/v1/sessions/{session}/payments/{payment}/print", name: "printReceipt",
            summary: "Prints the newest receipt; one that was printed before comes as a duplicate.",
            query: [
                Parameter(name: "copy", schema: .word(["customer", "merchant"]), summary: "customer without.")
            ],
            success: .json("PrintJob", "The print, as far as it came."),
            failures: [(503, "The printer does not take it.")]
        ) { call async throws(APIError) in
            let (session, number) = (try call.session(), try call.payment())
            let copy = ReceiptCopy(rawValue: try call.word("copy", ["customer", "merchant"]) ?? "") ?? .customer
            let job = try await session.step("print") { session async throws(SimulatedSessionError) in
                let print = try await session.printReceipt(of: number, copy: copy)
                return PrintJobView(name: print.name, printer: print.printer, state: print.state.rawValue)
            }
            return .json(job)
        },
    ]

    /// Begins an operation, and answers with its payment.
    private static func start(
        _ call: Call, _ operation: Operation = Operation(.payment),
        _ body: @escaping @Sendable (SimulatedSession) async throws(SimulatedSessionError) -> Void
    ) async throws(APIError) -> APIAnswer {
        let session = try call.session()
        var key: (name: String, body: [UInt8])?
        if let name = call.request.headers["idempotency-key"] {
            guard (1...255).contains(name.utf8.count) else {
                throw APIError(400, "invalid_idempotency_key", "an Idempotency-Key has 1 to 255 characters")
            }
            // The same key at another address is another request.
            key = (name, Array(call.request.path.utf8) + [0] + call.request.body)
        }
        let hadPayment = operation.payment != nil
        let (begun, isNew) = try await session.begin(operation, key: key, body)
        if hadPayment, let failure = begun.failure { throw APIError(failure) }
        guard let number = begun.payment else {
            throw APIError(500, "internal", "the payment left no trace in the journal")
        }
        let view = try await session.payment(number)
        let answer = APIAnswer.json(view, status: 201)
            .with("Location", "/v1/sessions/\(session.id)/payments/\(view.id)")
        return isNew ? answer : answer.with("Idempotency-Replayed", "true")
    }

    // MARK: Issuer, store, printer, disk

    private static let world: [Route] = [
        Route(
            method: "GET", path: "/v1/sessions/{session}/issuer/ledger", name: "readIssuerLedger",
            summary: "The issuer's book.", success: .list("IssuerEntry", "Oldest first.")
        ) { call async throws(APIError) in
            let ledger = try await call.session().look("ledger") { session async throws(SimulatedSessionError) in
                try await session.issuerLedger()
            }
            return .json(ledger.entries.map { IssuerEntryView($0) })
        },
        Route(
            method: "PUT", path: "/v1/sessions/{session}/issuer/rules", name: "setIssuerRules",
            summary: "The issuer answers by other rules from now on.", body: .named("Rules"), isBodyRequired: true,
            success: .nothing
        ) { call async throws(APIError) in
            try await call.session().act([.issuerRules(try PlanBody.rules(try call.body.required("rules")))])
            return .nothing
        },
        Route(
            method: "POST", path: "/v1/sessions/{session}/issuer/faults", name: "addIssuerFault",
            summary: "Something goes wrong on the way to the issuer, behind what goes wrong already.",
            body: .named("IssuerFault"), isBodyRequired: true, success: .nothing
        ) { call async throws(APIError) in
            try await call.session().act([.issuerFault(try FaultBodies.issuer(call.body))])
            return .nothing
        },
        Route(
            method: "DELETE", path: "/v1/sessions/{session}/issuer/faults", name: "removeIssuerFaults",
            summary: "Nothing goes wrong any more on the way to the issuer.", success: .nothing
        ) { call async throws(APIError) in
            try await call.session().act([.issuerRecovers])
            return .nothing
        },
        Route(
            method: "GET", path: "/v1/sessions/{session}/store", name: "readStore", summary: "The store's orders.",
            success: .json("Store", "The store.")
        ) { call async throws(APIError) in
            let session = try Self.withStore(call).session
            return .json(
                StoreView(
                    unpaid: session.unpaidOrders, orders: session.orders.map { StoreView.Order($0) },
                    charges: session.siteLedger.map {
                        StoreView.Charge(id: $0.chargeID, order: $0.orderID, hundredths: $0.amount)
                    }))
        },
        Route(
            method: "POST", path: "/v1/sessions/{session}/store/faults", name: "addStoreFault",
            summary: "Requests to the store go wrong.", body: .named("StoreFault"), isBodyRequired: true,
            success: .nothing
        ) { call async throws(APIError) in
            let session = try Self.withStore(call)
            try await session.act([.siteFault(try FaultBodies.store(try call.body.required("rule")))])
            return .nothing
        },
        Route(
            method: "GET", path: "/v1/sessions/{session}/printer", name: "readPrinter",
            summary: "The printer, and what came to it.", success: .json("Printer", "The printer.")
        ) { call async throws(APIError) in .json(try call.session().printer) },
        Route(
            method: "PUT", path: "/v1/sessions/{session}/printer", name: "setPrinter",
            summary: "The printer is so from now on.", body: .named("PrinterChange"), isBodyRequired: true,
            success: .json("Printer", "The printer.")
        ) { call async throws(APIError) in
            let session = try call.session()
            try await session.change(try ConditionBodies.printer(call.body))
            return .json(session.printer)
        },
        Route(
            method: "PUT", path: "/v1/sessions/{session}/disk", name: "setDisk",
            summary: "The disk is so from now on.", body: .named("DiskChange"), isBodyRequired: true,
            success: .json("Disk", "The disk.")
        ) { call async throws(APIError) in
            let session = try call.session()
            try await session.change(try ConditionBodies.disk(call.body))
            return .json(session.disk)
        },
    ]

    private static func withStore(_ call: Call) throws(APIError) -> ServedSession {
        let session = try call.session()
        guard session.plan.plan.store != nil else {
            throw APIError(409, "no_store", "the session has no store", fix: "create the session with a store")
        }
        return session
    }

    // MARK: What happened

    private static let records: [Route] = [
        Route(
            method: "GET", path: "/v1/sessions/{session}/events", name: "readEvents",
            summary: "What happened: a page of it or, with 'Accept: text/event-stream', everything as it happens.",
            query: [
                Parameter(name: "after", schema: .count, summary: "The last id that is known; 0 without."),
                Parameter(name: "limit", schema: .integer(1...10_000), summary: "1000 without."),
                Parameter(name: "kind", schema: .text, summary: "Only events of this kind, in a page."),
            ],
            headers: [
                Parameter(name: "Last-Event-ID", schema: .text, summary: "The same as 'after', for a stream.")
            ],
            success: Success(
                status: 200, summary: "Events.",
                content: [("application/json", .named("EventPage")), ("text/event-stream", nil)]),
            failures: [(429, "Too many clients read this session's events.")]
        ) { call async throws(APIError) in
            let session = try call.session()
            let after = try call.number("after", 0...Int(Int32.max))
            if call.request.headers["accept"]?.contains("text/event-stream") == true {
                let last = after ?? call.request.headers["last-event-id"].flatMap { Int($0) } ?? 0
                let stream = try session.stream(after: max(0, last), time: call.service.time)
                return APIAnswer(200, "text/event-stream", .events(stream)).with("Cache-Control", "no-store")
            }
            let limit = try call.number("limit", 1...10_000) ?? 1000
            let kind = try call.word("kind", SessionEventKind.allCases.map(\.rawValue))
            let events = session.session.events.dropFirst(after ?? 0)
                .filter { kind == nil || $0.kind.rawValue == kind }
                .prefix(limit).map { EventView($0) }
            return .json(EventPage(events: events, last: events.last?.id ?? after ?? 0))
        },
        Route(
            method: "GET", path: "/v1/sessions/{session}/trace", name: "readTrace",
            summary: "The exchanges with the card, a line each: command and answer, masked.",
            success: Success(status: 200, summary: "Lines.", content: [("text/plain", nil)])
        ) { call async throws(APIError) in
            let lines = try call.session().session.events.filter { $0.kind == .apdu }.map { $0.detail + "\n" }
            return .text(lines.joined())
        },
        Route(
            method: "GET", path: "/v1/sessions/{session}/reconciliation", name: "reconcile",
            summary: "The till's journal against the issuer's book.",
            success: .json("Reconciliation", "Whether they agree.")
        ) { call async throws(APIError) in
            let found = try await call.session().look("reconcile") { session async throws(SimulatedSessionError) in
                try await session.reconciliation()
            }
            return .json(ReconciliationView(found))
        },
    ]
}

extension Call {
    /// The number of the payment that the path names.
    func payment() throws(APIError) -> Int64 {
        let name = values["payment"] ?? ""
        guard let number = Payment.id(named: name) else {
            throw APIError(404, "unknown_payment", "'\(BodyNode.clip(name))' is no payment", fix: "write P000001")
        }
        return number
    }
}
