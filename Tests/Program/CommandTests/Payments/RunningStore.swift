import Foundation
import Glibc
import Testing

/// A simulated store in a separate process, and a signed-in user.
final class RunningStore {
    private let child: Child
    private let scratch: Scratch
    private let address: String
    private let password: String

    /// `faults` are rules of what goes wrong, `options` more options of `simulate store`.
    init(in scratch: Scratch, faults: [String] = [], options: [String] = []) throws {
        self.scratch = scratch
        let passwordFile = scratch.file("store-password")
        let child = try Child(
            [
                "simulate", "store", "--port", "0", "--json", "--orders", "5", "--password-file", passwordFile,
                "--token-file", scratch.file("store-token"),
            ] + options + faults.flatMap { ["--fault", $0] }, in: scratch)
        self.child = child
        #expect(child.wait { child.output.hasSuffix("}\n") })
        let view = try #require(
            try JSONSerialization.jsonObject(with: Data(child.output.utf8)) as? [String: Any])
        address = try #require(view["address"] as? String)
        password = try String(contentsOfFile: passwordFile, encoding: .utf8).trimmingCharacters(in: .newlines)
        try Program.run(
            [
                "login", address, "--username", "shopkeeper", "--application-password-file", passwordFile, "--database",
                scratch.database,
            ], in: scratch
        ).expectStatus(0)
    }

    deinit { child.send(SIGTERM) }

    /// The body of the answer to a request in the owner's name.
    private func ask(_ method: String, _ path: String, _ body: String = "") throws -> Any {
        let basic = Data("shopkeeper:\(password)".utf8).base64EncodedString()
        let script = """
            exec 3<>/dev/tcp/127.0.0.1/$1
            printf '%s %s HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\n' "$2" "$3" >&3
            printf 'Content-Type: application/json\\r\\n' >&3
            printf 'Authorization: Basic %s\\r\\nContent-Length: %d\\r\\n\\r\\n%s' "$5" "${#4}" "$4" >&3
            cat <&3
            """
        let port = String(try #require(address.split(separator: ":").last?.prefix { $0.isNumber }))
        let answer = try Program.run(shell: script, [port, method, path, body, basic], in: scratch).output
        let end = try #require(answer.range(of: "\r\n\r\n"))
        let text = answer[end.upperBound...]
        let start = try #require(text.firstIndex { $0 == "{" || $0 == "[" })
        return try JSONSerialization.jsonObject(with: Data(text[start...].utf8))
    }

    /// Makes an order that waits for its payment.
    func makeOrder(_ total: String = "12.50") throws -> Int {
        let body = #"{"status":"pending","fee_lines":[{"name":"Goods","total":"\#(total)","tax_status":"none"}]}"#
        let order = try #require(try ask("POST", "/wp-json/wc/v3/orders", body) as? [String: Any])
        #expect(order["total"] as? String == total)
        return try #require(order["id"] as? Int)
    }

    /// Makes an order of pieces of a product, and returns its ID and that of the line.
    func makeOrder(pieces: Int, of total: String) throws -> (order: Int, line: Int) {
        let products = try #require(try ask("GET", "/wp-json/wc/v3/products?per_page=1") as? [[String: Any]])
        let product = try #require(products.first?["id"] as? Int)
        let item = #"{"product_id":\#(product),"quantity":\#(pieces),"subtotal":"\#(total)","total":"\#(total)"}"#
        let order = try #require(
            try ask("POST", "/wp-json/wc/v3/orders", #"{"status":"pending","line_items":[\#(item)]}"#) as? [String: Any]
        )
        let line = try #require((order["line_items"] as? [[String: Any]])?.first?["id"] as? Int)
        return (try #require(order["id"] as? Int), line)
    }

    func delete(_ order: Int) throws { _ = try ask("DELETE", "/wp-json/wc/v3/orders/\(order)?force=true") }

    /// The order as the store has it.
    func order(_ id: Int) throws -> [String: Any] {
        try #require(try ask("GET", "/wp-json/wc/v3/orders/\(id)") as? [String: Any])
    }

    /// The amounts of an order's refunds.
    func refunds(_ id: Int) throws -> [String] {
        let refunds = try #require(try ask("GET", "/wp-json/wc/v3/orders/\(id)/refunds") as? [[String: Any]])
        return refunds.compactMap { $0["amount"] as? String }
    }

    /// Pays an order like another user.
    func payOtherwise(_ id: Int) throws {
        _ = try ask(
            "POST", "/wp-json/wc/v3/payments/orders/\(id)/capture_terminal_payment",
            #"{"payment_intent_id":"pi_other"}"#)
    }

    func close(_ id: Int) throws { _ = try ask("POST", "/wp-json/wc/v3/orders/\(id)", #"{"status":"cancelled"}"#) }

    /// Every charge of the store.
    func charges() throws -> [[String: Any]] { try #require(try ask("GET", "/_simulator/ledger") as? [[String: Any]]) }

    func add(fault: String) throws { _ = try ask("POST", "/_simulator/faults", #"{"rule":"\#(fault)"}"#) }

    func removeFaults() throws { _ = try ask("DELETE", "/_simulator/faults") }

    /// The number of payment notifications so far.
    func captureRequests() throws -> Int {
        let seen = try #require(try ask("GET", "/_simulator/requests") as? [[String: Any]])
        return seen.filter { "\($0)".contains("capture_terminal_payment") }.count
    }
}
