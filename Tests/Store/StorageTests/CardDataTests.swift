import Foundation
import GRDB
import Payments
import Testing

@testable import Storage

@Suite struct CardDataTests {
    private let cardNumber = "4761739001010010"

    @Test func `no column is there to take a card number`() throws {
        let database = try TemporaryDatabase()
        _ = try database.open()
        let columns = try database.rows(
            """
            SELECT t.name || '.' || c.name AS name FROM sqlite_master t, pragma_table_info(t.name) c
            WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%'
            """
        ).map { $0["name"] as String }
        let suspicious = columns.filter { name in
            ["pan", "track", "cvv", "cvc", "pin", "expiry", "cardholder", "cardNumber"].contains {
                name.split(separator: ".").last?.lowercased() == $0.lowercased()
            }
        }
        #expect(columns.count > 50)
        #expect(suspicious.isEmpty)
    }

    @Test(arguments: ["4761739001010010", "010", "00100", "001O", "", "٠٠١٠"])
    func `the last four digits are four digits and nothing else`(_ text: String) throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let id = try journal.beginSale().attempt.id
        let details = PaymentDetails(card: .read(lastFour: text))
        let error = #expect(throws: JournalError.self) { try journal.markAuthorizing(id, details: details, at: at(2)) }
        guard case .storage(.ruleBroken)? = error else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        #expect(error.map(String.init(describing:))?.contains("4761739001010010") == false)
        #expect(try database.text("SELECT state FROM paymentAttempt") == "created")
        #expect(throws: DatabaseError.self) { try database.execute("UPDATE payment SET last4 = '\(text)'") }
    }

    @Test func `a card number in an error text is masked before it is stored`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let id = try journal.beginSale().attempt.id
        try journal.markAuthorizing(id, at: at(2))
        let details = PaymentDetails(errorMessage: "card \(cardNumber) is blocked")
        try journal.markUnknown(id, reason: "host said: 4761 7390 0101 0010 unknown", details: details, at: at(3))
        let bytes = try database.bytes()
        #expect(bytes.range(of: Data(cardNumber.utf8)) == nil)
        #expect(bytes.range(of: Data("4761 7390 0101 0010".utf8)) == nil)
        #expect(try database.text("SELECT errorMessage FROM payment") == "card ************0010 is blocked")
        #expect(try database.text("SELECT lastError FROM paymentAttempt") == "card ************0010 is blocked")
        #expect(
            try database.text("SELECT detail FROM attemptTransition ORDER BY sequence DESC")
                == "host said: **** **** **** 0010 unknown")
    }

    @Test(arguments: [
        ("", ""), ("no digits", "no digits"), ("12345678901", "12345678901"), ("123456789012", "********9012"),
        ("a4761739001010010b", "a************0010b"), ("4761-7390-0101-0010", "****-****-****-0010"),
        ("1234567890 x 1234567890", "1234567890 x 1234567890"), ("47617390010100104", "*************0104"),
        ("amount 1250, order 42", "amount 1250, order 42"), ("476173900101  0010", "********0101  0010"),
    ])
    func `only long runs of digits are masked`(_ text: String, _ masked: String) {
        #expect(PANMasking.masked(text) == masked)
    }
}
