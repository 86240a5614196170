/// What was paid with gift cards.
struct GiftCardTotals: ReportTotals {
    private var cards: Set<Int64> = []
    private var used = Amount.zero
    private var refunded = Amount.zero

    mutating func add(_ order: StoredOrder) {
        for card in order.giftCards {
            cards.insert(card.id)
            used += card.amount
            // What was given back in full gave the card its money back.
            if order.status == .refunded { refunded += card.amount }
        }
    }

    var members: [JSONNode.Member] {
        [
            .init(name: "giftcards_count", value: .integer(cards.count)),
            .init(name: "used_amount", value: .number(used.number)),
            .init(name: "refunded_amount", value: .number(refunded.number)),
            .init(name: "net_amount", value: .number((used - refunded).number)),
        ]
    }
}
