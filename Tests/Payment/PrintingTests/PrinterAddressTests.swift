import Testing

@testable import Printing

@Suite("The address of a network printer")
struct PrinterAddressTests {
    @Test(arguments: [
        ("socket://printer", "printer", 9100), ("socket://192.0.2.7:9101", "192.0.2.7", 9101),
        ("SOCKET://till-1.shop.example/", "till-1.shop.example", 9100), ("socket://[2001:db8::7]", "2001:db8::7", 9100),
        ("socket://[fe80::1%eth0]:515", "fe80::1%eth0", 515),
    ])
    func `is a host and a port`(text: String, host: String, port: Int) throws {
        let address = try #require(PrinterAddress(text))
        #expect(address.host == host)
        #expect(Int(address.port) == port)
        #expect(PrinterAddress(address.description) == address)
    }

    @Test(arguments: [
        "", "printer", "socket://", "ipp://printer/ipp/print", "socket://user:secret@printer", "socket://printer:0",
        "socket://printer:65536", "socket://printer:", "socket://printer:9100x", "socket://2001:db8::7",
        "socket://[2001:db8::7", "socket://[]", "socket://a b", "socket://printer/queue", "socket://printer?x",
        "socket://[::1]9100", "socket://prin\u{7}ter",
    ])
    func `is not anything else`(text: String) { #expect(PrinterAddress(text) == nil) }

    @Test func `of a queue is shown without the user name`() {
        let addresses = [
            ("ipp://printer/ipp/print", "ipp://printer/ipp/print"),
            ("smb://user:secret@host/share", "smb://host/share"), ("lpd://a@b@host", "lpd://host"),
            ("ipp://host/a@b", "ipp://host/a@b"), ("file:/dev/null", "file:/dev/null"),
        ]
        for (address, shown) in addresses { #expect(PrintQueue.withoutCredentials(address) == shown) }
    }
}
