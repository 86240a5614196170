import CardSecrets
import Testing

struct SensitiveBytesTests {
    @Test func `bytes are stored, compared, and copied`() {
        let secret = SensitiveBytes([1, 2, 3])
        #expect(secret.count == 3)
        #expect(secret.isEmpty == false)
        #expect(secret.withUnsafeBytes { Array($0) } == [1, 2, 3])
        let copy = secret.duplicate()
        #expect(secret.isEqual(to: copy) == true)
        let other = SensitiveBytes([1, 2, 4])
        #expect(secret.isEqual(to: other) == false)
        let longer = SensitiveBytes([1, 2, 3, 0])
        #expect(secret.isEqual(to: longer) == false)
    }

    @Test func `nothing at all is a secret too`() {
        let empty = SensitiveBytes([])
        #expect(empty.isEmpty == true)
        let other = SensitiveBytes([UInt8]())
        #expect(empty.isEqual(to: other) == true)
    }

    @Test func `a copy outlives the original`() {
        func make() -> SensitiveBytes {
            let original = SensitiveBytes([9, 8, 7])
            return original.duplicate()
        }
        let copy = make()
        #expect(copy.withUnsafeBytes { Array($0) } == [9, 8, 7])
    }
}

struct ArrayWipingTests {
    @Test func `an array that is wiped holds zeros`() {
        var bytes: [UInt8] = [1, 2, 3]
        bytes.wipe()
        #expect(bytes == [0, 0, 0])
        var none: [UInt8] = []
        none.wipe()
        #expect(none.isEmpty)
    }

    @Test func `bytes are created in place`() {
        let secret = SensitiveBytes(count: 3) { $0[1] = 7 }
        #expect(secret.withUnsafeBytes { Array($0) } == [0, 7, 0])
        let none = SensitiveBytes(count: -1) { _ in }
        #expect(none.isEmpty == true)
    }

    @Test func `a number is read from its digits in ASCII`() throws {
        let pan = try PrimaryAccountNumber(digits: Array("4761739001010010".utf8))
        #expect(pan.lastFour == "0010")
        let same = try PrimaryAccountNumber(
            compressedNumeric: [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10])
        #expect(pan.isEqual(to: same) == true)
        let other = try PrimaryAccountNumber(digits: Array("4761739001010028".utf8))
        #expect(pan.isEqual(to: other) == false)
        #expect(throws: PrimaryAccountNumberError.notDigits) {
            _ = try PrimaryAccountNumber(digits: Array("4761739001O10010".utf8))
        }
        #expect(throws: PrimaryAccountNumberError.wrongLength(20)) {
            _ = try PrimaryAccountNumber(digits: Array("47617390010100104761".utf8))
        }
    }
}
