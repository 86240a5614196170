import CardSecrets
import Testing
import Text

@testable import ZVT

/// Messages with one mistake: the error names the part, the offset, and the rule, and never a value.
struct BrokenMessageTests {
    private func error(_ hexadecimal: String) throws -> ZVTError {
        var reader = ZVTFrameReader()
        reader.feed(try #require([UInt8](hexadecimal: hexadecimal)))
        let frame = try #require(try reader.next())
        return try #require(throws: ZVTError.self) { try ZVTMessage(frame) }
    }

    @Test func `an amount that is cut`() throws {
        let error = try error("06010504000000 12".filter { $0 != " " })
        #expect(error == ZVTError(.bmp(0x04), at: 4, .truncated(missing: 2)))
        #expect("\(error)" == "BMP 04 (amount), offset 4: 2 more bytes are needed")
    }

    @Test func `an amount with a letter`() throws {
        #expect(try error("0601070400000A001250") == ZVTError(.bmp(0x04), at: 6, .notADigit))
    }

    @Test func `a field that ZVT does not have`() throws {
        #expect(try error("06010199") == ZVTError(.bmp(0x99), at: 3, .unknownField))
    }

    @Test(
        arguments: [
            ("0400000000100004000000002000", 0x04, 10), ("490978490840", 0x49, 6), ("870001870002", 0x87, 6),
            ("06000600", 0x06, 5),
        ] as [(String, UInt8, Int)])
    func `a field that comes twice`(data: String, bmp: UInt8, offset: Int) throws {
        let count = (data.count / 2).zeroPadded(to: 2, radix: 16)
        #expect(try error("0601\(count)\(data)") == ZVTError(.bmp(bmp), at: offset, .repeatedField))
    }

    @Test func `a command that is not read`() throws {
        #expect(try error("06c000") == ZVTError(.frame, at: 0, .unknownCommand))
    }

    @Test(
        arguments: [
            ("22f0", 5, .truncated(missing: 1)), ("22f0fa", 5, .lengthIsNoNumber), ("2212ff", 4, .lengthIsNoNumber),
            ("22f9f9", 6, .truncated(missing: 99)),
        ] as [(String, Int, ZVTRule)])
    func `a length of packed characters that lies`(data: String, offset: Int, rule: ZVTRule) throws {
        let count = (data.count / 2).zeroPadded(to: 2, radix: 16)
        #expect(try error("0601\(count)\(data)") == ZVTError(.bmp(0x22), at: offset, rule))
    }

    @Test(
        arguments: [
            ("0680", 4, .wrongLengthForm), ("0683000000", 4, .wrongLengthForm), ("0681", 4, .truncated(missing: 1)),
            ("06820100", 7, .truncated(missing: 256)), ("0605", 5, .truncated(missing: 5)),
        ] as [(String, Int, ZVTRule)])
    func `a length of the container that lies`(data: String, offset: Int, rule: ZVTRule) throws {
        let count = (data.count / 2).zeroPadded(to: 2, radix: 16)
        #expect(try error("0601\(count)\(data)") == ZVTError(.bmp(0x06), at: offset, rule))
    }

    @Test func `a data object that is longer than its container`() throws {
        #expect(try error("06010506031b0200") == ZVTError(.tag(0x1B), at: 7, .truncated(missing: 1)))
        #expect(try error("0601040602 1f8f".filter { $0 != " " }).rule == .wrongTag)
    }

    @Test func `data objects that are nested without an end`() throws {
        var data: [UInt8] = []
        for _ in 0..<12 { data = [0x25, UInt8(data.count)] + data }
        let bytes = [0x06, 0x01, UInt8(data.count + 2), 0x06, UInt8(data.count)] + data
        #expect(try error(bytes.hexadecimal).rule == .tooDeep)
    }

    @Test func `a password that has no digits`() throws {
        #expect(try error("0650030A0000") == ZVTError(.head("password"), at: 3, .notADigit))
        #expect(try error("06500200 00".filter { $0 != " " }).rule == .truncated(missing: 1))
    }

    @Test func `a registration without its configuration byte`() throws {
        #expect(try error("060003000000").part == .head("configuration byte"))
        #expect(try error("060005000000860A").part == .head("currency"))
    }

    @Test(arguments: ZVTVector.all)
    func `every cut message is an error or a shorter message, and no error has a value`(vector: ZVTVector) throws {
        let head = vector.bytes[2] == 0xFF ? 5 : 3
        for count in 0..<max(0, vector.bytes.count - head) {
            let frame = ZVTFrame(
                ZVTControl(vector.bytes[0], vector.bytes[1]), data: Array(vector.bytes[head..<head + count]))
            let message: ZVTMessage
            do throws(ZVTError) { message = try ZVTMessage(frame) } catch {
                #expect(error.offset <= frame.headLength + count)
                #expect(!"\(error)".contains("0119"))
                continue
            }
            #expect(try message.frame().data == frame.data)
        }
    }

    @Test(arguments: ZVTVector.all)
    func `one changed byte gives an error or a message that is read again the same`(vector: ZVTVector) throws {
        let head = vector.bytes[2] == 0xFF ? 5 : 3
        for place in head..<max(head, vector.bytes.count) {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var bytes = vector.bytes
                bytes[place] ^= change
                let frame = ZVTFrame(ZVTControl(bytes[0], bytes[1]), data: Array(bytes[head...]))
                guard let message = try? ZVTMessage(frame) else { continue }
                // Clear card data is read, and not written for a terminal.
                guard let written = try? message.frame() else {
                    #expect(message.control.isFromTerminal)
                    continue
                }
                #expect(try ZVTMessage(written) == message)
            }
        }
    }

    @Test func `a terminal's message with a whole card number is not written`() throws {
        let number: [UInt8] = [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10]
        for (bmp, value): (UInt8, [UInt8]) in [
            (0x22, number), (0x23, number + [0xD3]), (0x2D, [0x42]), (0x3A, [0x12, 0x3F]),
        ] {
            let fields = [ZVTField(bmp, value)]
            let error = #expect(throws: ZVTError.self) {
                try ZVTMessage(.statusInformation, fields: fields).encoded()
            }
            #expect(error?.rule == .clearCardData)
            // A till may send one.
            #expect(throws: Never.self) { try ZVTMessage(.authorization, fields: fields).encoded() }
        }
        let masked = ZVTField(0x22, [0x47, 0x61, 0x73, 0xEE, 0xEE, 0xEE, 0x00, 0x10])
        #expect(throws: Never.self) { try ZVTMessage(.statusInformation, fields: [masked]).encoded() }
    }

    @Test func `a value that does not fit its field is not written`() {
        for field in [
            ZVTField(0x04, [0x12]), ZVTField(0x04, [0, 0, 0, 0, 0x0A, 0]), ZVTField(0x99, []),
            ZVTField(0x8B, [UInt8](repeating: 0x41, count: 100)), ZVTField(objects: [ZVTObject(0x25, [1])]),
            ZVTField(objects: [ZVTObject(0x1F, [1])]),
        ] {
            #expect(throws: ZVTError.self) { try ZVTMessage(.statusInformation, fields: [field]).encoded() }
        }
    }
}

struct ZVTFrameReaderTests {
    @Test(arguments: [1, 2, 3, 7, 1000])
    func `messages do not depend on how the bytes are cut`(size: Int) throws {
        let bytes = ZVTVector.all.flatMap(\.bytes)
        var (reader, frames) = (ZVTFrameReader(), [ZVTFrame]())
        for start in stride(from: 0, to: bytes.count, by: size) {
            reader.feed(bytes[start..<min(bytes.count, start + size)])
            while let frame = try reader.next() { frames.append(frame) }
        }
        #expect(try frames.flatMap { try $0.encoded() } == bytes)
        #expect(frames.count == ZVTVector.all.count)
        #expect(throws: Never.self) { try reader.finish() }
    }

    @Test func `a length above the limit is an error, and stays one`() throws {
        var reader = ZVTFrameReader(maximumLength: 256)
        reader.feed([0x06, 0xD3, 0xFF, 0xFF, 0xFF])
        let expected = ZVTError(.frame, at: 2, .tooLong(65_535, maximum: 256))
        #expect(throws: expected) { try reader.next() }
        reader.feed([0x80, 0, 0])
        #expect(throws: expected) { try reader.next() }
    }

    @Test func `an end within a message is an error`() throws {
        var reader = ZVTFrameReader()
        reader.feed([0x06, 0x01, 0x0C, 0x04])
        #expect(try reader.next() == nil)
        #expect(throws: ZVTError(.frame, at: 4, .truncated(missing: 11))) { try reader.finish() }
    }
}
