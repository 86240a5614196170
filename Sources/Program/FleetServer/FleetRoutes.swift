import Fleet
import HTTPInterface
import Payments
import Text

extension FleetRoute {
    /// All routes.
    static let table = service + lanes + payments + totals + changes

    private static let service: [FleetRoute] = [
        FleetRoute(
            method: "GET", path: "/", name: "console", summary: "Returns the web console.",
            success: APISuccess(status: 200, summary: "The page, one file.", content: [("text/html", nil)])
        ) { _ async throws(APIError) in FleetConsole.page },
        FleetRoute(
            method: "GET", path: "/openapi.json", name: "openapi", summary: "Returns this document.",
            success: APISuccess(
                status: 200, summary: "The OpenAPI 3.1 document.", content: [("application/json", nil)])
        ) { _ async throws(APIError) in
            APIAnswer(200, "application/json", .bytes(FleetDocument.bytes))
        },
        FleetRoute(
            method: "GET", path: "/healthz", name: "health", summary: "Responds while the server runs.",
            success: .json("Health", "It runs.")
        ) { _ async throws(APIError) in .json("ok", as: FleetViews.health).with("Cache-Control", "no-store") },
        FleetRoute(
            method: "GET", path: "/readyz", name: "readiness", summary: "Says whether the database answers.",
            success: .json("Health", "It does."), failures: [(502, "It refuses."), (503, "It does not.")]
        ) { call async throws(APIError) in
            try await call.service.checkReadiness()
            return .json("ready", as: FleetViews.health).with("Cache-Control", "no-store")
        },
        FleetRoute(
            method: "GET", path: "/v1/me", name: "me", summary: "Returns the login of the token and its offices.",
            success: .json("Me", "The login.")
        ) { call async throws(APIError) in
            let offices = try await call.ask { office async throws(FleetError) in try await office.offices() }
            return .json((call.login, offices), as: FleetViews.me)
        },
    ]

    private static let lanes: [FleetRoute] = [
        FleetRoute(
            method: "GET", path: "/v1/lanes", name: "listLanes",
            summary: "Lists the lanes: what waits, how late, unknown payments, refusals.",
            query: [FleetRequests.shopParameter], success: .list("Lane", "By shop and name.")
        ) { call async throws(APIError) in
            let shop = try call.request.phrase("shop", 1...63)
            let lanes = try await call.ask { office async throws(FleetError) in try await office.lanes(of: shop) }
            return .list(lanes, as: FleetViews.lane)
        },
        FleetRoute(
            method: "GET", path: "/v1/events", name: "listEvents",
            summary: "Lists who invited, enrolled, granted, revoked, and erased. For managers and auditors.",
            query: [
                FleetRequests.shopParameter, FleetRequests.limitParameter(1000),
                APIParameter(
                    name: "before", schema: .integer(1...Int.max), summary: "Only events before this number."),
            ],
            success: .list("Event", "Newest first.")
        ) { call async throws(APIError) in
            let shop = try call.request.phrase("shop", 1...63)
            let before = try call.request.number("before", 1...Int.max)
            let limit = try call.request.number("limit", 1...1000) ?? 100
            let events = try await call.ask { office async throws(FleetError) in
                try await office.events(of: shop, before: before.map(Int64.init), limit: limit)
            }
            return .list(events, as: FleetViews.event)
        },
    ]

    private static let payments: [FleetRoute] = [
        FleetRoute(
            method: "GET", path: "/v1/payments", name: "listPayments",
            summary: "Lists payments of all lanes, in pages.", query: FleetRequests.paymentParameters,
            success: .json("PaymentPage", "A page.")
        ) { call async throws(APIError) in
            var filter = try FleetRequests.filter(call.request)
            let limit = filter.limit
            // One more shows whether there is a next page.
            filter.limit += 1
            let wanted = filter
            let payments = try await call.ask { office async throws(FleetError) in
                try await office.payments(matching: wanted)
            }
            return .json(FleetViews.page(payments, limit: limit))
        },
        FleetRoute(
            method: "GET", path: "/v1/lanes/{lane}/payments/{payment}", name: "readPayment",
            summary: "Returns a payment with its attempts and receipts. A lane is named by its id.",
            success: .json("ShippedPayment", "The payment.")
        ) { call async throws(APIError) in
            let (lane, number) = try FleetRequests.payment(call.values)
            let history = try await call.ask { office async throws(FleetError) in
                try await office.payment(number, of: lane)
            }
            return .json(history, as: FleetViews.history)
        },
    ]

    private static let totals: [FleetRoute] = [
        FleetRoute(
            method: "GET", path: "/v1/report", name: "report",
            summary: "Adds up what was captured, by lane, day, and brand.",
            query: [FleetRequests.shopParameter] + FleetRequests.dayParameters,
            success: .list("Total", "By shop, day, lane, and brand.")
        ) { call async throws(APIError) in
            let report = try await report(call)
            let totals = report.totals.sorted { $0.key < $1.key }.map { (key: $0.key, total: $0.value) }
            return .list(totals, as: FleetViews.total).naming(report.unreadable)
        },
        FleetRoute(
            method: "GET", path: "/v1/report.csv", name: "reportCSV",
            summary: "Adds up what was captured, in the form that a reconciliation reads.",
            query: [FleetRequests.shopParameter] + FleetRequests.dayParameters,
            success: APISuccess(status: 200, summary: "The totals.", content: [("text/csv", .text)])
        ) { call async throws(APIError) in
            let report = try await report(call)
            return .text(Settlement(report.totals).text, "text/csv; charset=utf-8")
                .with("Content-Disposition", "attachment; filename=\"report.csv\"").naming(report.unreadable)
        },
        FleetRoute(
            method: "POST", path: "/v1/reconciliations", name: "reconcile",
            summary: "Compares a settlement of the acquirer with what the lanes took. Keeps nothing.",
            query: [FleetRequests.shopParameter] + FleetRequests.dayParameters, textBody: ("text/csv", .text),
            success: .json("Reconciliation", "The differences.")
        ) { call async throws(APIError) in
            let settlement = try FleetRequests.settlement(call.request)
            let (shop, days) = (try call.request.phrase("shop", 1...63), try FleetRequests.days(call.request))
            let result = try await call.ask { office async throws(FleetError) in
                try await office.reconcile(settlement, of: shop, since: days.since, until: days.until)
            }
            return .json(result, as: FleetViews.reconciliation)
        },
    ]

    private static func report(_ call: FleetCall) async throws(APIError) -> OfficeReport {
        let (shop, days) = (try call.request.phrase("shop", 1...63), try FleetRequests.days(call.request))
        return try await call.ask { office async throws(FleetError) in
            try await office.report(of: shop, since: days.since, until: days.until)
        }
    }

    private static let changes: [FleetRoute] = [
        FleetRoute(
            method: "POST", path: "/v1/invitations", name: "invite",
            summary: "Makes the token by which one machine becomes a lane. For managers.", body: .named("Invite"),
            success: .json("Invitation", "The token, which is shown once.", status: 201),
            failures: [(404, "There is no such shop.")]
        ) { call async throws(APIError) in
            let shop = try FleetRequests.name(try call.body.required("shop"), 1...63)
            let lane = try FleetRequests.name(try call.body.required("lane"), 1...100)
            let hours = try call.body["hours"]?.int(1...8760) ?? 24
            let token = call.service.newToken()
            try await call.ask { office async throws(FleetError) in
                try await office.invite(lane, of: shop, token: token, hours: hours)
            }
            return .json((shop, lane, hours, token), as: FleetViews.invitation, status: 201)
                .with("Cache-Control", "no-store")
        },
        FleetRoute(
            method: "POST", path: "/v1/erasures", name: "erase",
            summary: "Erases personal data: those of one payment, or of payments older than some days. For managers.",
            body: .named("Erase"), success: .json("Erasure", "The number of payments."),
            failures: [(404, "There is no such shop, lane, or payment.")]
        ) { call async throws(APIError) in
            let shop = try FleetRequests.name(try call.body.required("shop"), 1...63)
            let lane = try call.body["lane"].map { (node) throws(APIError) in try FleetRequests.name(node, 1...100) }
            let days = try call.body["olderThanDays"]?.int(0...36_500)
            var payment: Int64?
            if let node = call.body["payment"] {
                guard let id = PaymentID(try node.text(1...20)) else {
                    throw .body("no payment has this name", at: node.path)
                }
                payment = id.rawValue
            }
            guard payment == nil || lane != nil else { throw .body("a payment needs its lane", at: "lane") }
            guard payment != nil || days != nil else {
                throw .body("give a payment with its lane, or a number of days", at: "olderThanDays")
            }
            let number = payment
            let erased = try await call.ask { office async throws(FleetError) in
                try await office.erase(shop: shop, lane: lane, payment: number, olderThan: days)
            }
            return .json(erased, as: FleetViews.erasure)
        },
    ]
}

extension APIAnswer {
    /// Names the attempts that no total of the answer has, at most ten, in a header field. A report without any has no
    /// such field.
    fileprivate func naming(_ unreadable: [UnreadableAttempt]) -> APIAnswer {
        guard !unreadable.isEmpty else { return self }
        return with("X-Unreadable-Attempts", unreadable.prefix(10).map(\.name).joined(separator: " "))
    }
}
