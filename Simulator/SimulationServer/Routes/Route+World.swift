internal import Sessions
internal import Simulator
internal import StoreSite

extension Route {
    /// Issuer, store, printer, disk.
    static let world: [Route] = [
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
}
