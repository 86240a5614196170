import Determinism
import Testing

@testable import DFU

@Suite struct DFUFileTests {
    /// What dfu-suffix of dfu-util 0.11 makes of the 14 bytes "hello firmware" for 1209:000b, release 0200.
    private let known: [UInt8] =
        Array("hello firmware".utf8) + [0x00, 0x02, 0x0B, 0x00, 0x09, 0x12, 0x00, 0x01]
        + [0x55, 0x46, 0x44, 0x10, 0x6D, 0xAA, 0x44, 0x77]

    @Test func `a file of another tool is parsed, and written again byte for byte`() throws {
        let file = try DFUFile(parsing: known)
        #expect(file.firmware == Array("hello firmware".utf8))
        #expect(file.vendorID == 0x1209)
        #expect(file.productID == 0x000B)
        #expect(file.release == 0x0200)
        #expect(file.encoded == known)
    }

    @Test func `an ID of FFFF matches any`() throws {
        let file = DFUFile(firmware: [1], vendorID: nil, productID: nil, release: nil)
        #expect(Array(file.encoded[1..<7]) == [UInt8](repeating: 0xFF, count: 6))
        #expect(try DFUFile(parsing: file.encoded) == file)
        #expect(file.isFor(vendorID: 1, productID: 2))
        let strict = DFUFile(firmware: [1], vendorID: 1, productID: nil, release: nil)
        #expect(strict.isFor(vendorID: 1, productID: 9))
        #expect(!strict.isFor(vendorID: 2, productID: 9))
        #expect(!DFUFile(firmware: [1], vendorID: 1, productID: 2, release: nil).isFor(vendorID: 1, productID: 9))
    }

    @Test func `a longer suffix is removed as a whole`() throws {
        var bytes = DFUFile(firmware: [1, 2, 3, 4], vendorID: 1, productID: 2, release: 3).encoded
        bytes[15] = 18
        let checksum = DFUChecksum.of(bytes.dropLast(4))
        for index in 0..<4 { bytes[16 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(index))) }
        #expect(try DFUFile(parsing: bytes).firmware == [1, 2])
    }

    @Test func `every error has its name`() {
        func failure(_ change: (inout [UInt8]) -> Void) -> DFUFileError? {
            var bytes = known
            change(&bytes)
            do throws(DFUFileError) {
                _ = try DFUFile(parsing: bytes)
                return nil
            } catch {
                return error
            }
        }
        #expect(failure { $0 = Array($0.suffix(16)) } == .tooShort(bytes: 16))
        #expect(failure { $0 = [] } == .tooShort(bytes: 0))
        #expect(failure { $0[22] = 0x56 } == .noSuffix(found: "564644"))
        #expect(failure { $0[25] = 15 } == .suffixLength(15))
        #expect(failure { $0[25] = 30 } == .suffixLength(30))
        #expect(failure { $0[20] = 0x1A } == .format(0x011A))
        #expect(failure { $0[0] = 0 } == .checksum(stated: 0x7744_AA6D, actual: DFUChecksum.of([0] + known[1..<26])))
        #expect(failure { $0[29] = 0 }?.description.contains("expected 744aa6d") == false)
    }

    @Test func `a changed bit anywhere is detected`() throws {
        for place in known.indices {
            for bit in 0..<8 {
                var bytes = known
                bytes[place] ^= 1 << UInt8(bit)
                #expect(throws: DFUFileError.self) { _ = try DFUFile(parsing: bytes) }
            }
        }
    }

    @Test func `no bytes make the parser trap`() {
        let random = SeededRandomSource(seed: 0xDF)
        for _ in 0..<3000 {
            let length = Int(random.bytes(1)[0])
            var bytes = random.bytes(length)
            // Half of them get past the letters.
            if length > 16, random.bytes(1)[0] & 1 == 0 {
                bytes.replaceSubrange(length - 10..<length - 4, with: [0, 1, 0x55, 0x46, 0x44, UInt8(length & 0x1F)])
            }
            guard let file = try? DFUFile(parsing: bytes) else { continue }
            #expect(file.firmware.count < bytes.count)
        }
    }
}
