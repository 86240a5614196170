import Networking
import Testing

struct EnvelopeTests {
    private func success(_ text: String, _ envelope: Envelope) throws(NetworkError) -> Bool {
        try ValueMapper(SuccessResult.self).map(response: Array(text.utf8), envelope: envelope).success
    }

    @Test func `an envelope is opened where there should be one`() throws {
        #expect(try success(#"{"data":{"success":true}}"#, .data))
        #expect(try success(#"{"data":{"success":true}}"#, .either))
        #expect(try success(#"{"success":true}"#, .either))
        #expect(try !success(#"{"data":{"success":true}}"#, .none))
    }

    @Test func `content with data among others is no envelope`() throws {
        let text = #"{"date":"2018-08-06","unit":"day","fields":["period","views"],"data":[["2018-08-05",3]]}"#
        let stats = try ValueMapper(SiteVisitStats.self, context: DecodingContext(siteID: 1))
            .map(response: Array(text.utf8))
        #expect(stats.items.map(\.period) == ["2018-08-05"])
        #expect(stats.items.map(\.views) == [3])
    }

    @Test(arguments: [
        (#"{"error":"unauthorized","message":"Missing Token"}"#, "unauthorized", 200),
        (#"{"code":"rest_forbidden","message":"No.","data":{"status":401}}"#, "rest_forbidden", 401),
    ])
    func `an error is not taken for an envelope`(text: String, code: String, status: Int) {
        let error = #expect(throws: NetworkError.self) { try success(text, .either) }
        guard case .service(let service)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(service.code == code)
        #expect(service.status == status)
    }

    @Test func `an empty envelope is an error`() {
        #expect(throws: NetworkError.undecodable(DecodingFailure(.missing, at: "data"))) {
            try success(#"{"data":null}"#, .either)
        }
    }
}
