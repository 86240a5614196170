import SmartCard
import Testing

struct T0CommandMapperTests {
    /// Runs a command against a script of TPDUs and answers; gives the command's response.
    private func run(
        _ command: String, _ script: [(tpdu: String, answer: String)],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ResponseAPDU? {
        var mapper = try T0CommandMapper(try CommandAPDU(bytes: bytes(command)))
        var step = mapper.start()
        for (tpdu, answer) in script {
            #expect(step == .exchange(bytes(tpdu)), sourceLocation: sourceLocation)
            step = try mapper.received(bytes(answer))
        }
        guard case .complete(let response) = step else { return nil }
        return response
    }

    // EMV Book 1 §9.3.1: a case 1 command goes out with P3 00
    @Test func `case 1 sends P3 00`() throws {
        let response = try run("00440000", [("0044000000", "9000")])
        #expect(response == ResponseAPDU(status: .success))
    }

    // EMV Book 1 §9.3.1: a case 2 command goes out with the expected length in P3
    @Test func `case 2 with the right length`() throws {
        let response = try run("0084000008", [("0084000008", "0102030405060708 9000")])
        #expect(response?.bytes == bytes("0102030405060708 9000"))
    }

    // EMV Book 1 §9.3.1: 6Cxx has the command sent again with the length that the card names
    @Test func `case 2 with Le 00 gets the length with 6Cxx`() throws {
        let response = try run("00B2010C00", [("00B2010C00", "6C03"), ("00B2010C03", "700101 9000")])
        #expect(response?.bytes == bytes("700101 9000"))
    }

    // EMV Book 1 §9.3.1: 61xx has the data fetched with GET RESPONSE
    @Test func `case 2 may be answered with 61xx`() throws {
        let response = try run("80CA9F1700", [("80CA9F1700", "6104"), ("00C0000004", "9F170103 9000")])
        #expect(response?.bytes == bytes("9F170103 9000"))
    }

    // EMV Book 1 §9.3.1: a case 3 command goes out with its data and gets a status alone
    @Test func `case 3 sends data behind the header`() throws {
        let response = try run("0020008008241234FFFFFFFFFF", [("0020008008241234FFFFFFFFFF", "63C2")])
        #expect(response == ResponseAPDU(status: StatusWord(0x63, 0xC2)))
    }

    @Test func `a command without response data keeps 61xx and 6Cxx`() throws {
        #expect(try run("002000800124", [("002000800124", "6110")])?.status == StatusWord(0x61, 0x10))
        #expect(try run("00440000", [("0044000000", "6C10")])?.status == StatusWord(0x6C, 0x10))
    }

    // EMV Book 1 §9.3.1: a case 4 command goes out without Le, and 61xx announces its answer
    @Test func `case 4 fetches what 61xx announces`() throws {
        let response = try run(
            "00A4040002 A000 00", [("00A4040002A000", "6103"), ("00C0000003", "6F0100 9000")])
        #expect(response?.bytes == bytes("6F0100 9000"))
    }

    // EMV Book 1 §9.3.1: 61xx behind part of an answer has the rest fetched, and the parts are put together
    @Test func `case 4 collects pieces, and GET RESPONSE may get another length`() throws {
        let response = try run(
            "80A8000002 8300 00",
            [
                ("80A80000028300", "6120"), ("00C0000020", "6C02"), ("00C0000002", "7706 6104"),
                ("00C0000004", "82021980 9000"),
            ])
        #expect(response?.bytes == bytes("770682021980 9000"))
    }

    // EMV Book 1 §9.3.1: after a warning a case 4 command has its data fetched with GET RESPONSE of length 00
    @Test func `case 4 with a warning fetches with 00, then with the length of 6Cxx`() throws {
        let response = try run(
            "00A4040002 A000 00",
            [("00A4040002A000", "6283"), ("00C0000000", "6C03"), ("00C0000003", "6F0100 6283")])
        #expect(response?.bytes == bytes("6F0100 6283"))
    }

    @Test func `the status of the last answer is the command's`() throws {
        let response = try run(
            "00A4040002 A000 00", [("00A4040002A000", "6283"), ("00C0000000", "6C01"), ("00C0000001", "AA 9000")])
        #expect(response?.bytes == bytes("AA 9000"))
    }

    // EMV Book 1 §9.3.1: an error status ends the command at every step
    @Test func `an error ends the command at every point and carries no pieces`() throws {
        #expect(try run("00B2010C00", [("00B2010C00", "6A83")])?.bytes == bytes("6A83"))
        #expect(try run("00A4040001A000", [("00A4040001A0", "6A82")])?.bytes == bytes("6A82"))
        let late = try run(
            "00A4040001A000", [("00A4040001A0", "6110"), ("00C0000010", "AABB6105"), ("00C0000005", "6F00")])
        #expect(late?.bytes == bytes("6F00"))
        #expect(try run("00A4040001A000", [("00A4040001A0", "6283"), ("00C0000000", "6985")])?.bytes == bytes("6985"))
    }

    @Test func `no more is fetched than wanted`() throws {
        let response = try run("00A4040001A005", [("00A4040001A0", "6120"), ("00C0000005", "0102030405 611B")])
        #expect(response?.bytes == bytes("0102030405 611B"))
        #expect(try run("00B2010C02", [("00B2010C02", "6C03"), ("00B2010C03", "AABBCC9000")])?.data == [0xAA, 0xBB])
    }

    @Test func `00 fetches more than 256 bytes when the card has them`() throws {
        let piece: [UInt8] = Array(repeating: 0x5A, count: 256)
        let response = try run(
            "80CA7F2100",
            [("80CA7F2100", hex(piece) + "6100"), ("00C0000000", hex(piece) + "6101"), ("00C0000001", "5A9000")])
        #expect(response?.data.count == 513)
    }

    @Test func `more data than asked for is an error, never an answer`() throws {
        #expect(throws: T0Error.answerTooLong(expected: 8, actual: 9)) {
            try run("0084000008", [("0084000008", "010203040506070809 9000")])
        }
        #expect(throws: T0Error.answerTooLong(expected: 0, actual: 1)) {
            try run("00A4040001A000", [("00A4040001A0", "01 9000")])
        }
        #expect(throws: T0Error.answerTooLong(expected: 2, actual: 3)) {
            try run("00A4040001A000", [("00A4040001A0", "6102"), ("00C0000002", "010203 9000")])
        }
    }

    @Test(arguments: ["", "90"]) func `an answer without a status is an error`(answer: String) {
        #expect(throws: T0Error.answerTooShort(answer.count / 2)) {
            try run("00440000", [("0044000000", answer)])
        }
    }

    @Test(arguments: ["6C05", "6105"]) func `an endless exchange is aborted`(answer: String) throws {
        var mapper = try T0CommandMapper(CommandAPDU(0x00, 0xB2, 1, 0x0C, le: 0))
        _ = mapper.start()
        for _ in 1..<T0CommandMapper.maximumExchanges { _ = try mapper.received(bytes(answer)) }
        #expect(throws: T0Error.tooManyExchanges) { try mapper.received(bytes(answer)) }
    }

    @Test func `commands that T=0 does not support are rejected at once`() throws {
        let long = try CommandAPDU(bytes: bytes("00B0000000 0101"))
        #expect(throws: T0Error.extendedLengthNotSupported) { try T0CommandMapper(long) }
        #expect(throws: T0Error.invalidInstruction(0x61)) { try T0CommandMapper(CommandAPDU(0, 0x61, 0, 0)) }
    }

    @Test func `the response stays available after the end`() throws {
        var mapper = try T0CommandMapper(CommandAPDU(0, 0x44, 0, 0))
        _ = mapper.start()
        let end = try mapper.received(bytes("9000"))
        #expect(try mapper.received(bytes("AABB6A82")) == end)
    }
}
