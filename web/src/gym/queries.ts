import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answered, api, type Schemas } from "~/api/client";
import { meQuery } from "~/api/queries";

export type Gym = Schemas["Organisation"];
export type Widget = Schemas["Widget"];

export const WIDGETS = ["widgets"];

export function useGymChange(done: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["OrganisationChange"]) => {
      const id = queries.getQueryData<Schemas["Me"]>(meQuery.queryKey)?.organisation.id ?? "";
      const params = { path: { organisation_id: id } };
      return answered(api.PATCH("/api/organisations/{organisation_id}", { params, body }));
    },
    onSuccess: async (fresh) => {
      queries.setQueryData(["gym", fresh.id], fresh);
      await queries.invalidateQueries({ queryKey: meQuery.queryKey });
      done();
    },
  });
}
