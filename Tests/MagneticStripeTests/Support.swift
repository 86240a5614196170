import CardSecrets
import MagneticStripe

/// A stripe as a test writes it: characters to parity and redundancy, by itself.
enum Stripe {
    static let pan = "4761739001010010"
    static let one = "%B\(pan)^CARDHOLDER/VISA^35122010000012345678?"
    static let two = ";\(pan)=351220100000123?"
    static let three = ";01\(pan)==1000000000000000000?"

    static func ascii(_ text: String) -> TrackDelivery { TrackDelivery(SensitiveBytes(Array(text.utf8)), .ascii) }

    /// Characters with parity, and the redundancy character behind them.
    static func characters(_ text: String, dataBits: Int, base: UInt8) -> [UInt8] {
        var data = text.utf8.map { $0 - base }
        data.append(data.reduce(0, ^))
        return data.map { $0.nonzeroBitCount % 2 == 0 ? $0 | 1 << UInt8(dataBits) : $0 }
    }

    static func numeric(_ text: String) -> [UInt8] { characters(text, dataBits: 4, base: 0x30) }

    static func alphanumeric(_ text: String) -> [UInt8] { characters(text, dataBits: 6, base: 0x20) }

    /// Bits of characters, the lowest first, with clocking zeros around them.
    static func bits(_ characters: [UInt8], dataBits: Int, lead: Int = 20, isReversed: Bool = false) -> [UInt8] {
        var bits = [Bool](repeating: false, count: lead)
        for character in characters {
            for bit in 0...dataBits { bits.append(character >> UInt8(bit) & 1 == 1) }
        }
        bits += [Bool](repeating: false, count: lead)
        if isReversed { bits.reverse() }
        while bits.count % 8 != 0 { isReversed ? bits.insert(false, at: 0) : bits.append(false) }
        return stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
    }
}

/// What a track's reading failed with; nil when it did not fail.
func fault(_ track: StripeTrack, _ delivery: borrowing TrackDelivery) -> TrackError.Fault? {
    do throws(TrackError) {
        if track == .three { _ = try FinancialTrack(delivery) } else { _ = try AccountTrack(track, delivery) }
        return nil
    } catch {
        return error.fault
    }
}

func fault(_ track: StripeTrack, _ text: String) -> TrackError.Fault? { fault(track, Stripe.ascii(text)) }

extension SensitiveBytes {
    var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

    var hex: String {
        withUnsafeBytes { bytes in
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
        }
    }
}
