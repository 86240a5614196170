import Determinism
import Networking
import Text

extension FuzzTarget {
    /// Responses of a site.
    static let siteAnswers: [FuzzTarget] = [json, entities, exchange, addresses]

    private static let json = FuzzTarget(
        "json", longestInput: 1024,
        seeds: {
            SampleAnswers.all.map { Array($0.utf8) } + [Array(#"[1e5,-0.25,"\u00e9\ud83d\ude00\n",{"a":[],}]"#.utf8)]
        },
        run: { bytes in
            let document = try JSONDocument(bytes)
            let text = document.value.jsonText
            same(try JSONDocument(Array(text.utf8)).value.jsonText, text, "what is written is read as the same")
        })

    /// The first byte selects the type of the rest.
    private static let entities = FuzzTarget(
        "answers", longestInput: 4096,
        seeds: {
            ResponseEntity.all.indices.flatMap { index in
                SampleAnswers.all.map { [UInt8(truncatingIfNeeded: index)] + Array($0.utf8) }
            }
        },
        run: { bytes in
            guard let first = bytes.first else { return }
            let entity = ResponseEntity.all[Int(first) % ResponseEntity.all.count]
            do throws(NetworkError) {
                let value = try entity.decode(Array(bytes.dropFirst()))
                for failure in value.rejected { checkLine(failure.description) }
            } catch {
                checkLine(error.description)
            }
        })

    /// A complete response of a server to a request for orders: status line, header fields, an empty line, body.
    private static let exchange = FuzzTarget(
        "site-exchange", longestInput: 4096,
        seeds: {
            let heads = [
                "200\nContent-Type: application/json\nX-WP-Total: 1\nX-WP-TotalPages: 1\n",
                "200\nContent-Type: application/json\nLink: <https://shop.example/?page=2>; rel=\"next\"\n",
                "503\nContent-Type: application/json\nRetry-After: Fri, 02 Jan 2026 03:04:08 GMT\n",
                "429\nRetry-After: 2\nContent-Type: application/json\n", "301\nLocation: /wp-json/wc/v3/orders\n",
                "302\nLocation: https://other.example/\n", "200\nContent-Type: text/html; charset=iso-8859-1\n",
            ]
            return heads.flatMap { head in SampleAnswers.all.map { Array("\(head)\n\($0)".utf8) } }
        },
        run: { bytes in
            let answer = response(bytes)
            Waiting.wait {
                let network = SameAnswer(answer: answer)
                guard let site = try? WebAddress(SameAnswer.site) else { fatalError("broken: the site's address") }
                let client = SiteClient(
                    network: network,
                    credentials: .applicationPassword(
                        ApplicationPassword(username: "till", password: Secret(SameAnswer.password)), site: site),
                    time: VirtualTimeSource(), random: SeededRandomSource(seed: 1))
                do throws(NetworkError) {
                    let page = try await OrdersRemote(client).loadOrders(siteID: 1)
                    hold((200...299).contains(answer.status), "a list comes with a status of success")
                    for failure in page.list.rejected { checkLine(failure.description) }
                } catch {
                    checkLine(error.description)
                    // An error may contain the server's own text.
                    let isTold = String(decoding: bytes, as: UTF8.self).contains(SameAnswer.password)
                    hold(isTold || !error.description.contains(SameAnswer.password), "an error shows no password")
                }
            }
        })

    private static let addresses = FuzzTarget(
        "web-address", longestInput: 300,
        seeds: {
            [
                "https://shop.example", "HTTP://Shop.Example:8080/a b/ä?q=1#f\n../c",
                "http://[::1]:81/?\n//other.example/x",
                "https://user:word@shop.example/\n/", "ftp://shop.example\nhttps://x", "http://127.0.0.1/%41+\n?y=%zz",
            ].map { Array($0.utf8) }
        },
        run: { bytes in
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", maxSplits: 1)
            guard let first = lines.first else { return }
            do throws(WebAddressError) {
                let address = try WebAddress(String(first))
                same(try WebAddress(address.text), address, "an address is read as it is written")
                hold(address.text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "an address is of visible ASCII")
                hold(address.path.hasPrefix("/"), "a path begins with a slash")
                let below = address.appending(path: String(lines.last ?? ""))
                same(try WebAddress(below.text), below, "what is below is an address")
                same(below.origin, address.origin, "what is below is at the same server")
                let next = try address.resolving(String(lines.last ?? ""))
                same(try WebAddress(next.text), next, "where a redirect leads is an address")
            } catch {
                checkLine(error.description)
            }
        })

    private static func checkLine(_ text: String) {
        hold(!text.isEmpty && text.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "an error is one line")
    }

    private static func response(_ bytes: [UInt8]) -> HTTPResponse {
        var rest = bytes[...]
        func line() -> String {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            return String(decoding: line, as: UTF8.self)
        }
        let status = Int(line()) ?? 200
        var headers = HTTPHeaders()
        while true {
            let field = line()
            guard let colon = field.firstIndex(of: ":") else { break }
            let value = field[field.index(after: colon)...].drop { $0 == " " }
            headers.add(String(field[..<colon]), String(value))
        }
        return HTTPResponse(status: (100...599).contains(status) ? status : 200, headers: headers, body: Array(rest))
    }
}

/// Sends the same response to every request, and checks that the password goes only to its site.
private struct SameAnswer: Network {
    static let site = "https://shop.example/blog"
    static let password = "correct horse battery"
    let answer: HTTPResponse

    func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        hold(
            !request.isAuthenticated || request.address.origin.description == "https://shop.example",
            "a password goes to its site alone")
        return answer
    }
}

/// Made-up responses in the formats of stores.
enum SampleAnswers {
    static let all = [
        """
        [{"id":7,"status":"processing","currency":"EUR","total":"12.50","date_created_gmt":"2026-01-02T03:04:05","line_items":\
        [{"id":1,"name":"Cup","product_id":2,"quantity":2,"price":6.25,"total":"12.50","taxes":[],"meta_data":[]}],\
        "billing":{"first_name":"Ada","country":"DE"},"shipping":[],"meta_data":[{"id":1,"key":"_k","value":{"a":1}}]}]
        """,
        #"{"data":{"id":7,"name":"Standard","slug":"standard","rate":"19.0000","priority":1,"compound":false}}"#,
        #"{"code":"rest_no_route","message":"No route was found","data":{"status":404}}"#,
        #"{"error":"unauthorized","message":"That API call is not allowed"}"#,
        """
        {"fields":["period","visitors","views"],"data":[["2026-01-02",3,4]],"unit":"day","date":"2026-01-02",\
        "totals":{"orders_count":1,"net_revenue":"1.5"},"intervals":[{"interval":"2026-01","subtotals":{"net_revenue":1}}]}
        """,
        #"{"data":{"status":"succeeded","id":"pi_1","secret":"s","test_mode":true,"currencies":{"default":"usd"}}}"#,
        #"{"notes":[{"id":1,"note_hash":2,"type":"store_order","read":0,"subject":[],"body":[],"meta":{}}]}"#, "[]",
        "null",
    ]
}
