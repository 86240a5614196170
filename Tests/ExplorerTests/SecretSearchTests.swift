import Simulator
import Testing

@testable import Explorer

@Suite("The search for secrets of cards")
struct SecretSearchTests {
    private let search: SecretSearch
    private let number: String

    init() throws {
        let profile = try CardProfileLibrary.profile("pin-required")
        number = try #require(profile.secrets.first).accountNumber
        search = SecretSearch(cards: [profile], pins: [FaultModel.pin])
    }

    private func found(_ text: String) -> Set<String> { search.secrets(in: Array(text.utf8)) }

    @Test("finds the number as digits, in groups, cut at either end and as bytes of a trace")
    func accountNumber() throws {
        #expect(found("a \(number) b") == ["card number"])
        #expect(found(";\(number)D3512") == ["card number"])
        #expect(found(String(number.dropLast(4))) == ["card number"])
        #expect(found(String(number.dropFirst(6))) == ["card number"])
        let groups = stride(from: 0, to: number.count, by: 4).map { String(number.dropFirst($0).prefix(4)) }
        #expect(found(groups.joined(separator: " ")) == ["card number"])
        #expect(found(number.map { "3\($0)" }.joined()) == ["card number"])
    }

    @Test("finds the expiry date and the PIN, also behind a zero byte")
    func dates() {
        #expect(found("5F2403351231") == ["expiry date"])
        #expect(found("until 12/2035") == ["expiry date"])
        #expect(found("{\"expiry\":\"2035-12-31\"}") == ["expiry date"])
        #expect(found("00\u{0}PIN \(FaultModel.pin)") == ["PIN"])
        #expect(found("242C\(FaultModel.pin)FF") == ["PIN"])
    }

    @Test("lets the last four digits and the beginning pass")
    func allowed() {
        #expect(found("**** **** **** \(number.suffix(4)), \(number.prefix(6))…\(number.suffix(4))") == [])
    }
}
