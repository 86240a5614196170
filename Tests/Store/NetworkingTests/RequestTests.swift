import Networking
import Testing
import Text

struct RequestTests {
    @Test func `a GET to WordPress dot com has its parameters in the query`() throws {
        let request = try DotcomRequest(.rest1_1, .get, "me/sites", parameters: ["fields": "ID,name"]).httpRequest()
        #expect(request.address.text == "https://public-api.wordpress.com/rest/v1.1/me/sites?fields=ID%2Cname")
        #expect(request.body == nil)
        #expect(request.isRepeatable)
    }

    @Test func `a POST to WordPress dot com has them in a form`() throws {
        let request = try DotcomRequest(.rest1_1, .post, "me/settings", parameters: ["a": "b c", "list": [1, 2]])
            .httpRequest()
        #expect(request.address.text == "https://public-api.wordpress.com/rest/v1.1/me/settings")
        #expect(request.body == Array("a=b%20c&list%5B%5D=1&list%5B%5D=2".utf8))
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded; charset=utf-8")
        #expect(!request.isRepeatable)
    }

    @Test(arguments: [
        (
            HTTPMethod.get, HTTPMethod.get,
            "json=true&path=%2Fwc%2Fv3%2Forders%2F1%26_method%3Dget&query=%7B%22a%22%3A%221%22%7D", String?.none
        ),
        (
            .delete, .get,
            "json=true&path=%2Fwc%2Fv3%2Forders%2F1%26_method%3Ddelete&query=%7B%22a%22%3A%221%22%7D", nil
        ),
        (
            .post, .post, "",
            "json=true&path=%2Fwc%2Fv3%2Forders%2F1%26_method%3Dpost&body=%7B%22a%22%3A1%7D"
        ),
        (.put, .post, "", "json=true&path=%2Fwc%2Fv3%2Forders%2F1%26_method%3Dput&body=%7B%22a%22%3A1%7D"),
    ])
    func `the tunnel carries the method inside`(
        method: HTTPMethod, wire: HTTPMethod, query: String, body: String?
    ) throws {
        let request = try JetpackRequest(siteID: 12, method, "orders/1", parameters: ["a": 1]).httpRequest()
        #expect(request.method == wire)
        #expect(
            request.address.withoutQuery == "https://public-api.wordpress.com/rest/v1.1/jetpack-blogs/12/rest-api/")
        #expect(request.address.query ?? "" == query)
        #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == body)
        #expect(request.isRepeatable == (method == .get))
    }

    @Test func `the tunnel always has a body for a POST and no query without parameters`() throws {
        let post = try JetpackRequest(siteID: 1, .post, "x").httpRequest()
        #expect(String(decoding: post.body ?? [], as: UTF8.self).hasSuffix("&body=%7B%7D"))
        let get = try JetpackRequest(siteID: 1, .get, "orders/1/notes/", locale: "de_DE").httpRequest()
        #expect(
            get.address.query == "json=true&path=%2Fwc%2Fv3%2Forders%2F1%2Fnotes%2F%26_method%3Dget&locale=de_DE")
    }

    @Test func `a request to a site uses real methods, and a key makes it repeatable`() throws {
        let site = try WebAddress("https://shop.example/sub")
        let get = try RESTRequest(site: site, namespace: "wc/v3", .get, "orders/", parameters: ["a": "b&c"])
            .httpRequest()
        #expect(get.address.text == "https://shop.example/sub/?rest_route=%2Fwc%2Fv3%2Forders&a=b%26c")
        let put = try RESTRequest(
            site: site, namespace: "wc/v3", .put, "orders/1", parameters: ["a": 1],
            options: RequestOptions(idempotencyKey: "key")
        ).httpRequest()
        #expect(put.method == .put)
        #expect(put.body == Array(#"{"a":1}"#.utf8))
        #expect(put.headers["Idempotency-Key"] == "key")
        #expect(put.isRepeatable)
    }

    @Test func `with a site's credentials requests bypass the tunnel`() throws {
        let site = try WebAddress("https://shop.example")
        let converter = RequestConverter(site: site)
        let converted = converter.convert(JetpackRequest(siteID: 1, .delete, "orders/1", parameters: ["force": true]))
        let wire = try converted.httpRequest()
        #expect(wire.method == .delete)
        #expect(wire.address.text == "https://shop.example/?rest_route=%2Fwc%2Fv3%2Forders%2F1&force=true")
        #expect(converted.dialect == .wordPress)
        let settings = DotcomRequest(.wordPress2, .get, "sites/1/settings", isAvailableOnSite: true)
        #expect(
            try converter.convert(settings).httpRequest().address.text
                == "https://shop.example/?rest_route=%2Fwp%2Fv2%2Fsettings")
        let visits = DotcomRequest(.rest1_1, .get, "sites/1/stats/visits", isAvailableOnSite: true)
        #expect(converter.convert(visits) is DotcomRequest)
        #expect(RequestConverter(site: nil).convert(settings) is DotcomRequest)
    }

    @Test func `credentials go into headers and nowhere else`() throws {
        let site = try WebAddress("https://shop.example")
        let rest = RESTRequest(site: site, namespace: "wc/v3", .get, "orders")
        let password = ApplicationPassword(username: "user", password: Secret("canary"))
        let direct = AuthenticatedRESTRequest(rest, password: password)
        #expect(try direct.httpRequest().authorization == Secret("Basic dXNlcjpjYW5hcnk="))
        let dotcom = AuthenticatedDotcomRequest(DotcomRequest(.rest1_1, .get, "me"), token: Secret("canary"))
        #expect(try dotcom.httpRequest().authorization == Secret("Bearer canary"))
        #expect(try UnauthenticatedRequest(direct).httpRequest().authorization == nil)
        for value in [direct, dotcom, password, Credentials.applicationPassword(password, site: site)] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value) \(String(reflecting: value)) \(dumped)".contains("canary"))
        }
    }
}
