import CardSecrets
import Cryptography
import Testing

struct PINBlockTests {
    @Test func `format 0 gives the example of X9.24-1`() throws {
        let block = try PINBlock.formatZero(pin: digits("1234"), pan: pan("4012345678909"))
        #expect(block.revealed == hex("041274EDCBA9876F"))
        #expect(try PINBlock.pin(formatZero: block, pan: pan("4012345678909")).revealed == [1, 2, 3, 4])
    }

    @Test func `format 0 fills a short PAN with zeros on the left`() throws {
        let block = try PINBlock.formatZero(pin: digits("1234"), pan: pan("12345678"))
        #expect(block.revealed == hex("041234FFFEDCBA98"))
    }

    // EMV Book 3 §6.5.12: the block of a plaintext PIN has control field 2, the number of digits, the digits and F
    @Test(arguments: [
        ("1234", "241234FFFFFFFFFF"), ("12345", "2512345FFFFFFFFF"), ("123456789012", "2C123456789012FF"),
    ])
    func `format 2 is the PIN and its length`(pin: String, block: String) throws {
        #expect(try PINBlock.formatTwo(pin: digits(pin)).revealed == hex(block))
        #expect(try PINBlock.pin(formatTwo: key(block)).revealed == digits(pin).revealed)
    }

    @Test func `format 4 gives the example of X9.24-3`() throws {
        let secret = key("AF8CB133A78F8DC2D1359F18527593FB")
        let block = try EncipheredFormatFourPINBlock.encipher(
            pin: digits("1234"), pan: pan("4111111111111111"), random: hex("2F69ADDE2E9E7ACE"), key: secret)
        #expect(block == hex("A912150391AB65A67E52883D81CE2D15"))
        let read = try EncipheredFormatFourPINBlock.pin(block, pan: pan("4111111111111111"), key: secret)
        #expect(read.revealed == [1, 2, 3, 4])
    }

    @Test(arguments: ["12345678", "123456789012", "1234567890123456789"])
    func `format 4 takes PANs of every length`(number: String) throws {
        let secret = key("000102030405060708090A0B0C0D0E0F")
        let block = try EncipheredFormatFourPINBlock.encipher(
            pin: digits("987654"), pan: pan(number), random: hex("0011223344556677"), key: secret)
        let read = try EncipheredFormatFourPINBlock.pin(block, pan: pan(number), key: secret)
        #expect(read.revealed == [9, 8, 7, 6, 5, 4])
    }

    @Test func `a format 4 block opens with its own PAN and key only`() throws {
        let secret = key("000102030405060708090A0B0C0D0E0F")
        let block = try EncipheredFormatFourPINBlock.encipher(
            pin: digits("1234"), pan: pan("4111111111111111"), random: hex("0011223344556677"), key: secret)
        #expect(throws: PINBlockError.malformed) {
            _ = try EncipheredFormatFourPINBlock.pin(block, pan: pan("4111111111111112"), key: secret)
        }
        #expect(throws: PINBlockError.malformed) {
            _ = try EncipheredFormatFourPINBlock.pin(
                block, pan: pan("4111111111111111"), key: key("0F0102030405060708090A0B0C0D0E0F"))
        }
        #expect(throws: PINBlockError.malformed) {
            _ = try EncipheredFormatFourPINBlock.pin(
                Array(block.dropLast()), pan: pan("4111111111111111"), key: secret)
        }
    }

    // EMV Book 3 §6.5.12: a PIN has 4 to 12 digits
    @Test(arguments: ["", "123", "1234567890123"]) func `a PIN of another length is refused`(pin: String) {
        #expect(throws: PINBlockError.pinLength(pin.count)) { _ = try PINBlock.formatTwo(pin: digits(pin)) }
    }

    @Test func `a PIN of something else than digits is refused`() {
        #expect(throws: PINBlockError.notDigits) { _ = try PINBlock.formatTwo(pin: SensitiveBytes([1, 2, 3, 10])) }
    }

    // EMV Book 3 §6.5.12: control field, length, digits and filler of a PIN block are all checked
    @Test(arguments: [
        "", "241234FFFFFFFF", "041234FFFFFFFFFF", "231234FFFFFFFFFF", "2D1234FFFFFFFFFF", "24123AFFFFFFFFFF",
        "2412340FFFFFFFFF", "241234FFFFFFFFF0",
    ])
    func `an invalid format 2 block is rejected`(block: String) {
        #expect(throws: PINBlockError.malformed) { _ = try PINBlock.pin(formatTwo: key(block)) }
    }
}
