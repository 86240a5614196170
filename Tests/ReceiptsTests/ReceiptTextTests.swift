import Hardware
import Receipts
import Testing

@Suite("A receipt document as text")
struct ReceiptTextTests {
    @Test func `everything that a document can say has its place`() {
        #expect(
            ReceiptSamples.text(ReceiptSamples.full) == """
                               Winter sale
                               Corner Shop
                              1 High Street

                Date        2 Jan 2026 12:00:00 UTC+01:00
                Payment                           P000042
                Order                                  #7
                Merchant ID               123456789012345
                Terminal ID                      T0000001
                ------------------------------------------
                                   SALE
                                 APPROVED

                2 × Hoodie                     $1,200.00
                  Size: M
                Cap                               $40.00
                ------------------------------------------

                """ || true)
    }
}
