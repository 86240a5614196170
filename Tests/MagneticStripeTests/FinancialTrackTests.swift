import CardSecrets
import MagneticStripe
import Testing

@Suite struct FinancialTrackTests {
    @Test func `track 3 gives its format and the account, and keeps the rest whole`() throws {
        let track = try FinancialTrack(Stripe.ascii(Stripe.three))
        #expect(track.formatCode == 1)
        #expect(track.pan.lastFour == "0010")
        #expect(track.content.text == String(Stripe.three.dropFirst().dropLast()))
    }

    @Test(arguments: [
        (";0?", TrackError.Fault.formatCode), (";01?", .noSeparator(position: 4)),
        (";0147=?", .account(.wrongLength(2))),
        (";01" + String(repeating: "1", count: 200) + "?", .tooLong(205)),
    ])
    func `one that is wrong says what and where`(text: String, expected: TrackError.Fault) {
        #expect(fault(.three, text) == expected)
    }
}
