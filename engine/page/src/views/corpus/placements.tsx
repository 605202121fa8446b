import { type ByStore, STORES } from "../../api/types";
import { StoreChip } from "../../ui/basic";

/** How many chunks went to each store. */
export function Placements({ placements }: { placements: ByStore<number> }) {
  const held = STORES.filter((store) => (placements[store] ?? 0) > 0);
  return (
    <span class="placements">
      {held.map((store) => <StoreChip key={store} store={store} count={placements[store]} />)}
    </span>
  );
}
