import Testing
import Text

@testable import StoreSite

struct AccountTests {
    private let caller = SiteCaller(orders: 40)

    private func dotcom(_ method: String, _ path: String, form: String? = nil) throws -> JSONValue {
        let headers = SiteCaller.bearer + [("Content-Type", "application/x-www-form-urlencoded")]
        let answer = caller.site.answer(
            SiteRequest(method: method, target: path, headers: headers, body: Array((form ?? "").utf8)))
        return try #require(JSONReader.node(answer.response.body))
    }

    @Test func `both sites are listed, with the requested fields`() throws {
        let sites = try #require(dotcom("GET", "/rest/v1.1/me/sites?fields=ID,name,options")["sites"]?.elements)
        #expect(sites.count == 2)
        #expect(sites.map { $0["options"]?["woocommerce_is_active"] } == [true, false])
        #expect(sites.allSatisfy { $0["URL"] == nil })
    }

    @Test func `a new order creates a notification, and a read notification has another hash`() throws {
        let id = try caller.unpaidOrder()
        let hashes = try #require(
            dotcom("GET", "/rest/v1.1/notifications?fields=id,note_hash&number=100")["notes"]?.elements)
        let newest = try #require(hashes.first)
        let number = try #require(newest["id"]?.plainText)
        let note = try #require(dotcom("GET", "/rest/v1.1/notifications?ids=\(number)")["notes"]?.elements?.first)
        #expect(note["type"] == "store_order")
        #expect(note["meta"]?["ids"]?["order"]?.plainText == id)
        #expect(note["read"] == 0)
        let read = try dotcom("POST", "/rest/v1.1/notifications/read", form: "counts%5B\(number)%5D=9999")
        #expect(read["success"] == true)
        let after = try #require(dotcom("GET", "/rest/v1.1/notifications/\(number)")["notes"]?.elements?.first)
        #expect(after["read"] == 1)
        #expect(after["note_hash"] != newest["note_hash"])
        _ = try dotcom("POST", "/rest/v1.1/notifications/read", form: "counts%5B\(number)%5D=-9999")
        let unread = try #require(dotcom("GET", "/rest/v1.1/notifications/\(number)")["notes"]?.elements?.first)
        #expect(unread["note_hash"] == newest["note_hash"])
    }

    @Test func `a comment is moderated at WordPress.com and at the site`() throws {
        let review = try #require(caller.list("/wc/v3/products/reviews?status=all").first)
        let id = try #require(review["id"]?.plainText)
        let path = "/rest/v1.1/sites/\(caller.site.siteIDs[0])/comments/\(id)"
        for (word, status) in [
            ("spam", "spam"), ("approved", "approved"), ("trash", "trash"),
            ("untrash", "approved"), ("unapproved", "unapproved"),
        ] {
            #expect(try dotcom("POST", path, form: "status=\(word)")["status"] == .text(status), "\(word)")
        }
        #expect(try caller.call("GET", "/wp/v2/comments/\(id)")["status"] == "hold")
        #expect(try caller.call("POST", "/wp/v2/comments/\(id)", json: #"{"status":"spam"}"#)["status"] == "spam")
        #expect(try caller.call("POST", "/wp/v2/comments/\(id)", json: #"{"status":"unspam"}"#)["status"] == "hold")
        #expect(try dotcom("POST", path, form: "status=moon")["error"] == "invalid_status")
        #expect(try dotcom("POST", path + "99999", form: "status=spam")["error"] == "unknown_comment")
    }

    @Test func `a reply belongs to its comment`() throws {
        let review = try #require(caller.list("/wc/v3/products/reviews?status=all").first)
        let (id, product) = (review["id"]?.plainText ?? "", review["product_id"]?.plainText ?? "")
        let path = "/wp/v2/sites/\(caller.site.siteIDs[0])/comments"
        let reply = try dotcom("POST", path, form: "content=Thanks&parent=\(id)&post=\(product)")
        #expect(reply["parent"]?.plainText == id)
        #expect(
            try dotcom("POST", path, form: "content=Thanks&parent=\(id)&post=\(product)")["code"] == "comment_duplicate"
        )
        #expect(
            try dotcom("POST", path, form: "content=x&parent=\(id)&post=1")["code"] == "rest_comment_invalid_post_id")
        let direct = try caller.call(
            "POST", "/wp/v2/comments", json: #"{"content":"Hello","post":\#(product),"parent":0}"#)
        #expect(direct["status"] == "approved")
    }

    @Test func `settings store accepted values`() throws {
        let path = "/wc/v3/settings/tax/woocommerce_tax_based_on"
        #expect(try caller.call("PUT", path, json: #"{"value":"base"}"#)["value"] == "base")
        #expect(try caller.call("GET", path)["value"] == "base")
        #expect(try caller.call("PUT", path, json: #"{"value":"moon"}"#)["code"] == "rest_setting_value_invalid")
        #expect(try caller.call("GET", "/wc/v3/settings/moon")["code"] == "rest_setting_setting_group_invalid")
        #expect(try caller.call("GET", "/wc/v3/settings/tax/moon")["code"] == "rest_setting_setting_invalid")
        #expect(try caller.call("GET", path)["value"] == "base")
    }

    @Test func `a shipment is tracked until it is deleted`() throws {
        let id = try caller.unpaidOrder()
        let path = "/wc/v2/orders/\(id)/shipment-trackings"
        let made = try caller.call(
            "POST", path, json: #"{"tracking_provider":"UPS","tracking_number":"1Z 9","date_shipped":"2026-01-02"}"#)
        #expect(made["tracking_link"] == "https://www.ups.com/track?loc=en_US&tracknum=1Z%209")
        let own = try caller.call(
            "POST", path,
            json:
                #"{"custom_tracking_provider":"Bike","custom_tracking_link":"https://b.example","tracking_number":"7"}"#
        )
        #expect(own["date_shipped"] == "2026-01-02")
        #expect(try caller.list(path).count == 2)
        let tracking = try #require(made["tracking_id"]?.plainText)
        #expect(try caller.call("DELETE", "\(path)/\(tracking)")["tracking_number"] == "1Z 9")
        #expect(try caller.list(path).count == 1)
        #expect(caller.raw("DELETE", "/wp-json\(path)/\(tracking)").response.status == 404)
        let wrong = caller.raw("POST", "/wp-json\(path)", json: #"{"tracking_provider":"Moon","tracking_number":"1"}"#)
        #expect(wrong.response.status == 400)
    }

    @Test func `a device that registers again keeps its number`() throws {
        let form = "device_token=abc&device_family=linux"
        let first = try dotcom("POST", "/rest/v1.1/devices/new", form: form)["ID"]?.plainText
        let id = try #require(first)
        #expect(try dotcom("POST", "/rest/v1.1/devices/new", form: form)["ID"]?.plainText == id)
        #expect(try dotcom("POST", "/rest/v1.1/devices/\(id)/delete")["success"] == true)
        #expect(try dotcom("POST", "/rest/v1.1/devices/\(id)/delete")["error"] == "not_found")
    }

    @Test func `a closed account is closed`() throws {
        #expect(try dotcom("POST", "/rest/v1.1/me/account/close")["success"] == true)
        #expect(try dotcom("GET", "/rest/v1.1/me")["error"] == "invalid_token")
    }

    @Test func `the installed versions are visible only to the owner`() throws {
        let status = try caller.call("GET", "/wc/v3/system_status?_fields=environment")
        #expect(status["environment"]?["version"] == .text(StoreIdentity.wooVersion))
        #expect(status["active_plugins"] == nil)
        #expect(caller.raw("GET", "/wp-json/wc/v3/system_status", headers: []).response.status == 401)
    }
}
