/// Check codewords over GF(256) with the polynomial 11D (ISO/IEC 18004 §7.5.2).
struct ReedSolomon {
    /// The product of x − 2^i for every i below the degree, without its leading coefficient.
    private let generator: [UInt8]

    /// `checkLength`: how many check codewords a block gets.
    init(checkLength: Int) {
        var coefficients = [UInt8](repeating: 0, count: checkLength - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<checkLength {
            for index in coefficients.indices {
                coefficients[index] = Self.product(coefficients[index], root)
                if index + 1 < coefficients.count { coefficients[index] ^= coefficients[index + 1] }
            }
            root = Self.product(root, 2)
        }
        generator = coefficients
    }

    func check(of data: ArraySlice<UInt8>) -> [UInt8] {
        var remainder = [UInt8](repeating: 0, count: generator.count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for (index, coefficient) in generator.enumerated() { remainder[index] ^= Self.product(coefficient, factor) }
        }
        return remainder
    }

    private static func product(_ first: UInt8, _ second: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for bit in (0..<8).reversed() {
            product = product << 1 ^ (product >> 7) &* 0x1D
            if second >> bit & 1 == 1 { product ^= first }
        }
        return product
    }
}
