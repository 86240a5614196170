import CardSecrets
import Testing

struct SensitiveBytesTests {
    @Test func `bytes are kept, compared and copied`() {
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
