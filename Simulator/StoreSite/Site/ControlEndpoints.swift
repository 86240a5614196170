import Determinism
import Glibc
import Text

/// `/_simulator`: inspects and controls the simulation, from this machine only.
enum ControlEndpoints {
    static func answer(
        _ parts: [Substring], _ request: SiteRequest, _ state: inout SiteState, at moment: Timestamp
    ) -> SiteResponse {
        // A browser page on this machine could send requests too, but with an Origin header, or, if its own name was
        // made to point to this machine, with that name as the host.
        guard request.isFromLoopback, request.header("origin") == nil else {
            return refusal(403, "forbidden", "The simulation can be controlled only from its own machine.")
        }
        guard request.header("host").map(isLocal) ?? true else {
            return refusal(403, "foreign_host", "The host of a control request is localhost or an address.")
        }
        var body: JSONValue = [:]
        if !request.body.isEmpty {
            guard let node = JSONReader.node(request.body) else {
                return refusal(400, "invalid_json", "The body is not JSON.")
            }
            body = node
        }
        switch (request.method, parts.map(String.init)) {
        case ("GET", ["state"]): return .json(overview(state, moment))
        case ("GET", ["ledger"]): return .json(.list(state.stores.flatMap(\.payments.charges).map(\.node)))
        case ("GET", ["requests"]): return .json(.list(state.seen.map(\.node)))
        case ("GET", ["deliveries"]): return .json(.list(state.outbox.seen.map(\.node)))
        case ("GET", ["faults"]): return .json(state.faults.node)
        case ("DELETE", ["faults"]):
            state.faults.removeAll()
            return .json(state.faults.node)
        case ("POST", ["faults"]): return add(body, &state)
        case ("POST", ["reset"]):
            state.reset(at: moment)
            return .json(overview(state, moment))
        case ("POST", ["advance"]):
            guard let seconds = body["seconds"]?.plainText.flatMap({ Int64($0) }), (0...3_155_760_000).contains(seconds)
            else { return refusal(400, "invalid_seconds", "Give seconds, 0 to 3155760000.") }
            state.clockAhead += .seconds(seconds)
            return .json(overview(state, moment))
        case ("POST", ["intents"]):
            guard let id = body["id"]?.plainText, let status = body["status"]?.plainText, !state.stores.isEmpty else {
                return refusal(400, "invalid_intent", "Give the id and the status of an intent.")
            }
            state.stores[0].payments.states[id] = status
            return .json(["id": .text(id), "status": .text(status)])
        default: return refusal(404, "not_found", "Unknown control.")
        }
    }

    /// Whether the value of a Host header is `localhost` or an IP address, which no other site's page can have.
    private static func isLocal(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            let address = host.dropFirst().prefix { $0 != "]" }
            let rest = host.dropFirst(address.count + 1)
            return isIPv6(String(address))
                && (rest == "]" || (rest.hasPrefix("]:") && UInt16(rest.dropFirst(2)) != nil))
        }
        let name = host.prefix { $0 != ":" }.lowercased()
        guard name != "localhost" else { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func isIPv6(_ text: String) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16)
        return inet_pton(AF_INET6, text, &bytes) == 1
    }

    private static func refusal(_ status: Int, _ code: String, _ message: String) -> SiteResponse {
        .json(["error": .text(code), "message": .text(message)], status: status)
    }

    /// Adds one rule (`rule`) or several (`rules`). An invalid rule rejects them all.
    private static func add(_ body: JSONValue, _ state: inout SiteState) -> SiteResponse {
        let texts = body["rules"]?.elements ?? body["rule"].map { [$0] } ?? []
        guard !texts.isEmpty else { return refusal(400, "missing_rule", "Give a rule, or rules.") }
        var rules: [FaultRule] = []
        for text in texts {
            do throws(FaultRuleError) { rules.append(try FaultRule(text.plainText ?? "")) } catch {
                return refusal(400, "invalid_rule", error.description)
            }
        }
        for rule in rules { state.add(rule) }
        return .json(state.faults.node, status: 201)
    }

    private static func overview(_ state: SiteState, _ moment: Timestamp) -> JSONValue {
        [
            "now": .text(moment.advanced(by: state.clockAhead).description),
            "sites": .list(
                state.stores.map { store in
                    var counts: [OrderState: Int] = [:]
                    for order in store.orders.all { counts[order.status, default: 0] += 1 }
                    return [
                        "id": .integer(store.identity.id), "name": .text(store.identity.name),
                        "url": .text(store.identity.address), "woocommerce": .bool(store.identity.hasWooCommerce),
                        "orders": .object(
                            OrderState.allCases.compactMap { state in
                                counts[state].map { JSONValue.Member(name: state.rawValue, value: .integer($0)) }
                            }), "products": .integer(store.products.count),
                        "customers": .integer(store.customers.count),
                        "charges": .integer(store.payments.charges.count),
                    ]
                }), "requests": .integer(state.seen.count), "faults": state.faults.node,
        ]
    }
}
