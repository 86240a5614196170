import Simulator
import Testing

struct DoorAddressTests {
    @Test(arguments: [
        ("127.0.0.1:35963", DoorAddress.tcp(host: "127.0.0.1", port: 35_963)),
        ("localhost:1", .tcp(host: "localhost", port: 1)),
        ("[::1]:65535", .tcp(host: "::1", port: 65_535)),
        ("/run/card.sock", .unix(path: "/run/card.sock")),
        ("./card:1", .unix(path: "./card:1")),
    ])
    func `a host with a port and a path are told apart, and written as they were read`(
        text: String, address: DoorAddress
    ) {
        #expect(DoorAddress(text) == address)
        #expect(address.description == text)
    }

    @Test(arguments: [
        "", "card", "localhost", "localhost:", "localhost:0", "localhost:65536", ":1", "::1", "[]:1", "a:-1",
    ])
    func `anything else is no address`(text: String) {
        #expect(DoorAddress(text) == nil)
    }
}
